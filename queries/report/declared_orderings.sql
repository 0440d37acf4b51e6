-- Requests of a span of days by route and the ordering they declare, and of those how many were
-- seen to be ordered otherwise; requests of fewer than three packed chunks cannot tell.
SELECT
    route,
    ordering,
    count(*)::BIGINT AS requests,
    sum(
        CASE WHEN list_contains(string_split(ordering_seen, '|'), ordering) THEN 0 ELSE 1 END
    )::BIGINT AS otherwise
FROM requests
WHERE
    day >= $first_day
    AND day < $next_day
    AND ordering IS NOT NULL
    AND ordering_seen NOT IN ('short', 'unranked', 'explored')
GROUP BY ALL
ORDER BY ALL
