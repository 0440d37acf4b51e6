"""What goes wrong with object storage, in our words: the address, what is wrong and what to do.

The libraries raise whatever theirs raise, and no two agree on a class. None of their sentences is
passed on, because they quote endpoints and requests; only what a service calls a fault is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from analyzer.errors import CitelogError


class Unreachable(CitelogError):
    """The storage cannot be asked: no way to it, no right, no such bucket, no package for it."""


class NotThere(CitelogError):
    """There is no such object, in a bucket that there is."""


@dataclass(frozen=True)
class Service:
    """What serves a scheme: its package, and what tells it who asks and where it is."""

    package: str
    credentials: str
    endpoint: str = "the endpoint"


_AMAZON = Service(
    "s3fs",
    "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "the endpoint (AWS_ENDPOINT_URL)",
)
SERVICES = {
    "s3": _AMAZON,
    "s3a": _AMAZON,
    "gs": Service("gcsfs", "GOOGLE_APPLICATION_CREDENTIALS"),
    "az": Service("adlfs", "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
}


@contextmanager
def said_of(address: str) -> Iterator[None]:
    """Says in our words what the libraries raise, of whatever class: no two agree on one."""
    try:
        yield
    except CitelogError:
        raise
    except Exception as error:
        # Not chained: its text may quote the endpoint, the request and who asked.
        raise _trouble(address, error) from None


def _trouble(address: str, error: Exception) -> CitelogError:
    service, code = SERVICES[address.partition("://")[0]], _code(error)
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    if isinstance(error, FileNotFoundError):
        return _no_bucket(address, service) if code == "NoSuchBucket" else not_there(address)
    if "Precondition" in code or "FileExpired" in names:
        return replaced(address)
    if isinstance(error, PermissionError):
        return Unreachable(
            f"{address}: access is refused{f' ({code})' if code else ''}; look which credentials "
            f"are given ({service.credentials}) and what they may do there"
        )
    if re.search("Credential|Profile|Token|Authentication", names):
        return Unreachable(f"{address}: no credentials are found; give {service.credentials}")
    if re.search("Payload|Incomplete|ResponseStreaming", names):
        return broken_off(address)
    if re.search("Connection|Timeout|HTTPClient", names):
        return Unreachable(
            f"{address}: the storage does not answer; check the network and {service.endpoint}, "
            "then run the command again"
        )
    if code:
        return Unreachable(
            f"{address}: the storage answers {code}; run the command again, and ask those who keep "
            "the storage where that does not help"
        )
    return Unreachable(
        f"{address}: cannot be asked for ({type(error).__name__}); check the address and "
        f"{service.endpoint}"
    )


def _no_bucket(address: str, service: Service) -> CitelogError:
    bucket = address.partition("://")[2].partition("/")[0]
    return Unreachable(
        f"{address}: there is no bucket {bucket}; check its name and {service.endpoint}"
    )


def _code(error: Exception) -> str:
    """What the service calls it, where that is one plain word."""
    response = getattr(error.__cause__ or error, "response", None)
    told = response.get("Error", {}).get("Code", "") if isinstance(response, dict) else ""
    return told if re.fullmatch(r"\w{1,40}", str(told), re.ASCII) else ""


def replaced(address: str) -> CitelogError:
    return CitelogError(
        f"{address}: was replaced after it was listed; run the command again for what is there now"
    )


def broken_off(address: str) -> CitelogError:
    return CitelogError(
        f"{address}: broke off in the middle; nothing of it is loaded, run the command again"
    )


def not_there(address: str) -> CitelogError:
    return NotThere(
        f"{address}: there is no such object, or not any more; run the command again for what is "
        "there now"
    )
