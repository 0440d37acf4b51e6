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

-- A rate with each group left out in turn: its parts, its whole, and the list of estimates. It
-- belongs in an aggregation; the macros below read interval ends out of it.
CREATE OR REPLACE TEMP MACRO leave_one_out(parts, wholes) AS {
    'part': list_sum(parts),
    'whole': list_sum(wholes),
    'estimates': [
        (list_sum(parts) - pair[1]) / nullif(list_sum(wholes) - pair[2], 0)
        FOR pair IN list_zip(parts, wholes) IF pair[2] > 0
    ]
};

-- Standard error from leave-one-out estimates: sqrt((B - 1) / B * sum of squares about their mean).
CREATE OR REPLACE TEMP MACRO jackknife_error(estimates) AS
    sqrt(greatest(len(estimates) - 1, 0)) * list_stddev_pop(estimates);

-- No standard error is zero: a rate of 0 or 1 from n could have been 1/n away.
CREATE OR REPLACE TEMP MACRO rate_error_floor(rate, n) AS
    sqrt(greatest(rate, 1 / n) * greatest(1 - rate, 1 / n) / n);

CREATE OR REPLACE TEMP MACRO rate_error(left_out) AS greatest(
    jackknife_error(left_out.estimates),
    rate_error_floor(left_out.part / left_out.whole, left_out.whole)
);

-- The ends of the 95 % interval of a rate, t standard errors from it, within 0 and 1.
CREATE OR REPLACE TEMP MACRO rate_low(left_out) AS CASE
    WHEN len(left_out.estimates) >= 2
        THEN greatest(
            0,
            left_out.part / left_out.whole
            - t_quantile(len(left_out.estimates)) * rate_error(left_out)
        )
END;

CREATE OR REPLACE TEMP MACRO rate_high(left_out) AS CASE
    WHEN len(left_out.estimates) >= 2
        THEN least(
            1,
            left_out.part / left_out.whole
            + t_quantile(len(left_out.estimates)) * rate_error(left_out)
        )
END;

-- The same for a mean of log2 ranks, which is 0 or more. The floor of its standard error is what one
-- citation moves it by when its rank doubles: 1/n.
CREATE OR REPLACE TEMP MACRO log2_rank_error(left_out) AS
    greatest(jackknife_error(left_out.estimates), 1 / left_out.whole);

CREATE OR REPLACE TEMP MACRO log2_rank_low(left_out) AS CASE
    WHEN len(left_out.estimates) >= 2
        THEN greatest(
            0,
            left_out.part / left_out.whole
            - t_quantile(len(left_out.estimates)) * log2_rank_error(left_out)
        )
END;

CREATE OR REPLACE TEMP MACRO log2_rank_high(left_out) AS CASE
    WHEN len(left_out.estimates) >= 2
        THEN left_out.part / left_out.whole
            + t_quantile(len(left_out.estimates)) * log2_rank_error(left_out)
END;
