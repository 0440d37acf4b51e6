"""What a file says, as facts: read piece by piece, here and in other processes, with no store.

`ingest` loads what comes of it, and a cluster reads the same way. The room is light until a piece
is read: other processes can start while the one that starts them still imports its database.
"""

READY = b"citelog reads\n"  # what another process says first; its site may print something before
