-- The position effect of one of the two releases.
INSERT INTO week_estimates BY NAME
SELECT
    $day::DATE AS week,
    $route AS route,
    'dip' AS measure,
    $value::DOUBLE AS value,
    $se::DOUBLE AS se,
    0 AS df,
    0 AS requests,
    0 AS base,
    $size::DOUBLE AS size,
    'OK' AS verdict,
    []::DOUBLE[] AS leave_one_outs
