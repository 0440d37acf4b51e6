-- Requests since the change that add most to it, one a unit, of these combinations of labels.
--
-- What a request adds is its part beyond what the rate before would have given, in the direction
-- of the change; of equal ones the latest comes first.
SELECT
    request.request_id,
    request.requested_at,
    request.packed AS k,
    request.context_tokens,
    chosen.part,
    chosen.whole,
    chosen.adds
FROM requests AS request
INNER JOIN (
    SELECT
        record_hash,
        requested_at,
        part,
        whole,
        $sign * (part - $level * whole) AS adds
    FROM measured
    WHERE
        CASE WHEN $release IS NULL THEN requested_at >= $moment ELSE asked_release END
        AND labels IN (SELECT unnest($labels::UBIGINT[]))
    QUALIFY row_number() OVER (PARTITION BY unit_hash ORDER BY adds DESC, requested_at DESC, record_hash) = 1
    ORDER BY adds DESC, requested_at DESC, record_hash
    LIMIT $most
) AS chosen ON request.record_hash = chosen.record_hash AND request.requested_at = chosen.requested_at
WHERE request.day >= $first_day AND request.day < $next_day AND request.route = $route
ORDER BY chosen.adds DESC, request.requested_at DESC, request.record_hash
