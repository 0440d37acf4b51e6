-- Name the days and weeks whose counts are to be replaced.
CREATE OR REPLACE TEMP TABLE touched_days AS
SELECT of AS day FROM block WHERE kind = 'days';

CREATE OR REPLACE TEMP TABLE touched_weeks AS
SELECT of AS week FROM block WHERE kind = 'weeks'
