-- How many days were counted elsewhere, and what counted last.
SELECT count(*) AS days, arg_max(engine, made_at) AS engine FROM elsewhere
