-- Take one slice of the contested requests.
CREATE OR REPLACE TEMP TABLE contested_requests AS
SELECT request_id FROM sliced_requests WHERE slice = $slice
