-- What became of every line that was read: read = loaded + duplicate + superseded + rejected.
--
-- columns
--   read                BIGINT  lines that held something
--   loaded              BIGINT  of those, lines whose record counts
--   duplicate           BIGINT  of those, lines whose record another line brings already
--   superseded          BIGINT  of those, lines whose record lost to another of the same request
--   rejected            BIGINT  of those, lines that could not become a record
--   judgements          BIGINT  of the lines read, judgements
--   waiting_judgements  BIGINT  judgements of requests that no log has brought yet
--   unknown_fields      BIGINT  fields that the record does not have
--   batches             BIGINT  files
--   set_aside           BIGINT  of those, set aside because too much of them was rejected

WITH waiting AS (
    SELECT count(DISTINCT (judgement.request_id, judgement.judgement_hash)) AS judgements
    FROM judgements AS judgement
    ANTI JOIN requests AS request ON judgement.request_id = request.request_id
)

SELECT
    coalesce(sum(batch.read), 0)::BIGINT AS read,
    coalesce(sum(batch.loaded), 0)::BIGINT AS loaded,
    coalesce(sum(batch.duplicate), 0)::BIGINT AS duplicate,
    coalesce(sum(batch.superseded), 0)::BIGINT AS superseded,
    coalesce(sum(batch.rejected), 0)::BIGINT AS rejected,
    coalesce(sum(batch.judgements), 0)::BIGINT AS judgements,
    any_value(waiting.judgements) AS waiting_judgements,
    coalesce(sum(batch.unknown_fields), 0)::BIGINT AS unknown_fields,
    count(batch.batch) AS batches,
    count(CASE WHEN batch.state = 'set_aside' THEN 1 END) AS set_aside
FROM waiting
LEFT JOIN batches AS batch ON true
ORDER BY read
