-- The pseudonym of one id.
SELECT pseudonym($name)
