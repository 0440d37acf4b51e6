"""Requests to an address that somebody named: they go there and nowhere else."""

from __future__ import annotations

import urllib.request
from http.client import HTTPMessage
from typing import IO


class Stay(urllib.request.HTTPRedirectHandler):
    """No redirect is followed: what is sent, keys among it, is for the named address alone."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None
