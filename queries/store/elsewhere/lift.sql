-- Take facts that were brought away again.
DROP TABLE temp.requests;
DROP TABLE temp.chunks
