-- The counts that are held of days and weeks.
SELECT 'days' AS kind, day AS of, digest, made_at FROM elsewhere
UNION ALL
SELECT 'weeks', week, digest, NULL FROM elsewhere_weeks
