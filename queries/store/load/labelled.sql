-- Name the requests whose label may have changed: new ones that carry a label, and those judged now.
CREATE OR REPLACE TEMP TABLE labelled_requests AS
SELECT request_id FROM staged_judgements
UNION
SELECT request_id FROM contested_requests
UNION
SELECT request_id FROM staged_requests WHERE logged_correct IS NOT NULL OR logged_expected IS NOT NULL
UNION
SELECT request_id FROM staged_requests WHERE request_id IN (SELECT request_id FROM judgements)
