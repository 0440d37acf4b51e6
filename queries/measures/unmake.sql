-- Take out the estimates of the weeks whose counts are still there, so that they are made again.
DELETE FROM week_estimates WHERE week IN (SELECT date_trunc('week', day)::DATE FROM days)
