-- The records that count, each with its chunks, of the days that are asked for and the rest of their weeks.
--
-- What lost is looked for, because it is little: almost every request is told once.
SELECT
    held.request,
    held.chunks
FROM (
    SELECT
        request,
        chunks,
        request.file AS file,
        request.line AS line,
        request.day AS day
    FROM parsed
    WHERE request IS NOT NULL
) AS held
INNER JOIN files ON held.file = files.name
INNER JOIN asked ON held.day >= asked.first_day AND held.day < asked.next_day
LEFT JOIN (
    SELECT
        file,
        line
    FROM lines
    WHERE telling > 1 OR version > 1
) AS lost ON held.file = lost.file AND held.line = lost.line
WHERE files.state IN ('loaded', 'cut') AND lost.line IS NULL
