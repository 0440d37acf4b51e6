-- Intervals by the delete-a-group jackknife (Kott 2001), for questions that count by unit group.
--
-- `parts` and `wholes` are lists of one length with one entry a unit group: what was counted there,
-- and of how many. Order them by unit group, so that sums of floats come out the same every time.
-- A group without a denominator is no group; with fewer than two groups there is no interval.

-- 97.5 % quantile of Student's t with groups - 1 degrees of freedom; NULL below two groups.
CREATE OR REPLACE TEMP MACRO t_quantile(groups) AS [
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
    2.093024
][groups - 1]::DOUBLE;

-- The rate with each group left out in turn.
CREATE OR REPLACE TEMP MACRO leave_one_out(parts, wholes) AS [
    (list_sum(parts) - pair[1]) / nullif(list_sum(wholes) - pair[2], 0)
    FOR pair IN list_zip(parts, wholes) IF pair[2] > 0
];

-- Standard error from leave-one-out estimates: sqrt((B - 1) / B * sum of squares about their mean).
CREATE OR REPLACE TEMP MACRO jackknife_error(estimates) AS
    sqrt(greatest(len(estimates) - 1, 0)) * list_stddev_pop(estimates);

-- No standard error is zero: a rate of 0 or 1 from n could have been 1/n away.
CREATE OR REPLACE TEMP MACRO rate_error_floor(rate, n) AS
    sqrt(greatest(rate, 1 / n) * greatest(1 - rate, 1 / n) / n);

-- value plus and minus t standard errors, kept within bounds; NULL, NULL below two groups.
CREATE OR REPLACE TEMP MACRO interval_around(value, error, groups, lowest, highest) AS CASE
    WHEN groups >= 2 THEN {
        'low': greatest(lowest, value - t_quantile(groups) * error),
        'high': least(highest, value + t_quantile(groups) * error)
    }
END;

-- 95 % interval of sum(parts) / sum(wholes), a rate: a struct of low and high within 0 and 1.
CREATE OR REPLACE TEMP MACRO rate_interval(parts, wholes) AS interval_around(
    list_sum(parts) / list_sum(wholes),
    greatest(
        jackknife_error(leave_one_out(parts, wholes)),
        rate_error_floor(list_sum(parts) / list_sum(wholes), list_sum(wholes))
    ),
    len(leave_one_out(parts, wholes)),
    0,
    1
);

-- The same for the mean log2 of ranks, which is 0 or more. Its floor is what one citation moves it
-- by when its rank doubles: 1/n.
CREATE OR REPLACE TEMP MACRO log2_rank_interval(parts, wholes) AS interval_around(
    list_sum(parts) / list_sum(wholes),
    greatest(jackknife_error(leave_one_out(parts, wholes)), 1 / list_sum(wholes)),
    len(leave_one_out(parts, wholes)),
    0,
    NULL
);
