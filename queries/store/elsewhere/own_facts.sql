-- Whether the store has records or labels of its own.
SELECT
    (SELECT count(*) FROM memberships) > 0
    OR ((SELECT count(*) FROM elsewhere) = 0 AND (SELECT count(*) FROM judgements) > 0)
