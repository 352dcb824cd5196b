"""Requests to a search engine over HTTP: JSON answers, time limits, and errors in plain words.

Credentials come from environment variables and appear in no message: ``GLASSRANK_ENGINE_USER`` and
``GLASSRANK_ENGINE_PASSWORD``, or ``GLASSRANK_ENGINE_API_KEY``.
"""

import base64
import http.client
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from glassrank.core.checks import DataError, check_positive
from glassrank.core.limits import MAX_JSON_BYTES
from glassrank.files.json_files import parse_json

USER, PASSWORD, API_KEY = "GLASSRANK_ENGINE_USER", "GLASSRANK_ENGINE_PASSWORD", "GLASSRANK_ENGINE_API_KEY"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SHOWN = 300


class EngineRequestError(DataError):
    """A request that the engine refused or did not answer; ``status`` is the HTTP status, 0 without an answer."""

    def __init__(self, problem: str, *, status: int = 0, remedy: str | tuple[str, ...] = ()) -> None:
        super().__init__(problem, remedy=remedy)
        self.status = status


class EngineClient:
    """An engine at an address such as ``http://localhost:8983/solr/shop``.

    >>> EngineClient("localhost:8983")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: url must be an address that begins with http:// or https://: got 'localhost:8983'.
    """

    def __init__(self, url: str, timeout: float = 60.0) -> None:
        check_positive("timeout", timeout)
        host = _checked_host(url)
        self.url = url.rstrip("/")
        self.timeout = float(timeout)
        self._credentials = _credentials()
        # A proxy cannot reach this machine.
        proxies = [ProxyHandler({})] if host in _LOOPBACK else []
        self._opener: OpenerDirector = build_opener(_NoRedirect, *proxies)

    def __repr__(self) -> str:
        return f"EngineClient({self.url!r})"

    def send(
        self, method: str, path: str = "", *, form: Mapping[str, str] | None = None, body: object = None
    ) -> dict[str, Any]:
        """Send a request, with a form or a JSON body if given, and return the JSON object of the answer.

        Any other answer raises :class:`EngineRequestError`.
        """
        address = f"{self.url}/{path}" if path else self.url
        data, kind = None, ""
        if form is not None:
            data, kind = urlencode(form).encode(), "application/x-www-form-urlencoded"
        elif body is not None:
            data, kind = json.dumps(body).encode(), "application/json"
        headers = {"Accept": "application/json"} | self._credentials | ({"Content-Type": kind} if kind else {})
        answer = parse_json(self._answer(Request(address, data, headers, method=method)), address, unique=False)
        if not isinstance(answer, dict):
            raise EngineRequestError(f"{address}: expected a JSON object as answer, got {type(answer).__name__}.")
        return answer

    def _answer(self, request: Request) -> bytes:
        address = request.full_url
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                content: bytes = answer.read(MAX_JSON_BYTES + 1)
                # A read of a limited size does not notice that the answer is shorter than announced.
                lacking = answer.length or 0
        except HTTPError as error:
            raise _refused(address, error) from error
        except TimeoutError as error:
            raise self._too_slow(address) from error
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._too_slow(address) from error
            raise EngineRequestError(
                f"{address}: the engine cannot be reached: {getattr(error.reason, 'strerror', None) or error.reason}.",
                remedy="Check the address, and that the engine is running.",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise EngineRequestError(f"{address}: the connection broke: {error or type(error).__name__}.") from error
        if len(content) > MAX_JSON_BYTES:
            raise EngineRequestError(f"{address}: the answer is longer than {MAX_JSON_BYTES:,} bytes.")
        if lacking:
            raise EngineRequestError(f"{address}: the connection broke: {lacking:,} bytes of the answer are lacking.")
        return content

    def _too_slow(self, address: str) -> EngineRequestError:
        return EngineRequestError(
            f"{address}: no answer within {self.timeout:g} seconds.", remedy="Ask again later, or allow more time."
        )


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect, which could carry the credentials to another host."""

    def redirect_request(self, *arguments: Any, **options: Any) -> None:
        return None


def _checked_host(url: str) -> str | None:
    expected = "an address that begins with http:// or https://"
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise DataError(parameter="url", expected=expected, got=url) from error
    if parts.username is not None or parts.password is not None:
        raise DataError(
            "url must not contain a user or a password, because it is printed.",
            parameter="url",
            remedy=f"Set the environment variables {USER} and {PASSWORD}.",
        )
    if parts.scheme not in ("http", "https") or not host or not url.isascii() or any(c.isspace() for c in url):
        raise DataError(parameter="url", expected=expected, got=url)
    if parts.query or parts.fragment:
        raise DataError(f"url must be an address without ? and #: got {url!r}.", parameter="url", got=url)
    return host


def _credentials() -> dict[str, str]:
    """Return the header that identifies the user, or none."""
    user, password, key = (os.environ.get(name) for name in (USER, PASSWORD, API_KEY))
    if key and (user or password):
        raise DataError(f"The environment has both {API_KEY} and {USER} or {PASSWORD}.", remedy="Unset one of them.")
    if bool(user) != bool(password):
        raise DataError(f"The environment must have both {USER} and {PASSWORD}, or none of them.")
    if key:
        value = f"ApiKey {key}"
    elif user:
        value = f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
    else:
        return {}
    if not value.isascii() or not value.isprintable():
        raise DataError(f"{API_KEY} must consist of printable ASCII characters.")
    return {"Authorization": value}


def _refused(address: str, error: HTTPError) -> EngineRequestError:
    """Return the error of an answer with an error status, in the engine's own words if it has some."""
    try:
        content = error.read(MAX_JSON_BYTES)
    except (OSError, http.client.HTTPException):
        content = b""
    said = " ".join(_reason(content).split())[:_SHOWN] or error.reason
    remedy = {
        401: f"Set the environment variables {USER} and {PASSWORD}, or {API_KEY}.",
        403: f"Check that the user in {USER} may do this.",
        404: "Check the address: it must name a core of Solr, or an index.",
    }.get(error.code, "")
    if error.code in (301, 302, 303, 307, 308):
        said, remedy = "the engine redirects to another address", "Give that address itself."
    return EngineRequestError(f"{address}: HTTP status {error.code}: {said}.", status=error.code, remedy=remedy)


def _reason(content: bytes) -> str:
    """Return the reason in an error of Solr, OpenSearch or Elasticsearch, or the beginning of another text."""
    try:
        error = json.loads(content).get("error")
    except (ValueError, RecursionError, AttributeError):
        return content[:_SHOWN].decode(errors="replace").rstrip(".")
    if not isinstance(error, Mapping):
        return str(error or "")
    causes = error.get("root_cause")
    first = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], Mapping) else {}
    return str(error.get("msg") or first.get("reason") or error.get("reason") or error).rstrip(".")
