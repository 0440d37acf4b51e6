-- Note which counts are held now.
INSERT INTO elsewhere
SELECT of, digest, requests, engine, made_at FROM block WHERE kind = 'days';

INSERT INTO elsewhere_weeks
SELECT of, digest FROM block WHERE kind = 'weeks'
