-- How many days were counted elsewhere, by what, and the last of them.
SELECT count(*) AS days, max(day) AS last_day, arg_max(engine, made_at) AS engine FROM elsewhere
