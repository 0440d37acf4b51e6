-- Where and why lines could not become records, never their text; each file once.
SELECT
    parsed.fault.batch AS batch,
    parsed.fault.file AS file,
    parsed.fault.line AS line,
    parsed.fault.byte_offset AS byte_offset,
    parsed.fault.path AS path,
    parsed.fault.reason AS reason,
    parsed.fault.line_hash AS line_hash
FROM parsed
INNER JOIN files ON parsed.fault.file = files.name
WHERE parsed.fault IS NOT NULL AND files.state IN ('loaded', 'cut', 'set_aside')
