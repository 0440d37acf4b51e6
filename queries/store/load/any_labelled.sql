-- Whether any request's label may have changed.
SELECT count(*) > 0 FROM labelled_requests
