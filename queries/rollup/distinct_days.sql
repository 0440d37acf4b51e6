-- Name each touched day once, and none that is sealed.
CREATE OR REPLACE TEMP TABLE touched_days AS
SELECT DISTINCT day
FROM touched_days, settings
WHERE sealed_before IS NULL OR day >= sealed_before
