-- The daily counts of two releases as if the one had been there the day before and the other since:
-- so the causes of a change are weighed for two releases as for two times.
CREATE TEMP TABLE days AS
SELECT * REPLACE (CASE WHEN release = $release THEN $since_day::DATE ELSE $since_day::DATE - 1 END AS day)
FROM days
WHERE day >= $first_day AND day < $next_day AND route = $route AND release IN ($release, $against);

CREATE TEMP TABLE ranks AS
SELECT * REPLACE (CASE WHEN release = $release THEN $since_day::DATE ELSE $since_day::DATE - 1 END AS day)
FROM ranks
WHERE day >= $first_day AND day < $next_day AND route = $route AND release IN ($release, $against);

CREATE TEMP TABLE cells_by_position AS
SELECT * REPLACE (CASE WHEN release = $release THEN $since_day::DATE ELSE $since_day::DATE - 1 END AS day)
FROM cells_by_position
WHERE day >= $first_day AND day < $next_day AND route = $route AND release IN ($release, $against);

-- Files are counted without a release, so nothing is known of them.
CREATE TEMP TABLE batches AS SELECT * FROM batches LIMIT 0;
CREATE TEMP TABLE week_estimates AS SELECT * FROM week_estimates LIMIT 0
