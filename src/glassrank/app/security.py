"""Who may talk to the app: this computer's browser on its own pages, and nobody else.

A page of another site could send requests to a server on 127.0.0.1 (cross-site requests), or reach it under a name of
its own (DNS rebinding). So the Host must be the app's own, writing requests must come from the app's own pages and
carry the token of this run, and pages may load only what the app serves.
"""

import hmac
import re
import secrets
import socket
from dataclasses import dataclass, field
from html import escape
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from fastapi import Request
from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassrank.core.limits import MAX_COLUMNS

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of this computer
TOKEN_HEADER, TOKEN_FIELD, CODE_FIELD = "x-glassrank-token", "token", "code"
MAX_FIELDS = MAX_COLUMNS + 100  # of a form
READING = ("GET", "HEAD")
REPORT_DATA = re.compile(r"/s/([^/]+)/report/([^/]+)/report-data/[^/]+")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report has its own, stricter policy in the page. In a sandbox it cannot reach the app, whoever wrote it, and
# it loads nothing from elsewhere.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Other sites get no referrer. With "no-referrer", browsers send forms of the app's own pages with "Origin: null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Access:
    """The addresses under which the app answers, and its tokens."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Needed by every request that changes something; a new one for every run of the server."""
    codes: set[str] = field(default_factory=set)
    """Codes that a browser can exchange for the token, each once."""

    @property
    def is_local(self) -> bool:
        """Whether only this computer can connect."""
        return self.host in ("127.0.0.1", "localhost", "::1")

    @property
    def names(self) -> frozenset[str]:
        """Values of the Host header that are answered."""
        own = self.host if ":" not in self.host else f"[{self.host}]"
        names = LOOPBACK if self.is_local else (*LOOPBACK, own)
        names = (*names, socket.gethostname().lower()) if self.host in EVERYWHERE else names
        return frozenset(f"{name}:{self.port}" for name in names) | (
            frozenset(names) if self.port == 80 else frozenset()
        )

    def answers(self, host: str) -> bool:
        """Return whether requests to a host are answered: its own names and, on all addresses, any IP address.

        A page of another site can give this computer a name, but not an IP address.
        """
        name, _, port = host.rpartition(":")
        is_numbered = self.host in EVERYWHERE and port == str(self.port) and _is_ip(name.strip("[]"))
        return host in self.names or is_numbered

    @property
    def cookie(self) -> str:
        """The name of the cookie with the token. Browsers share cookies between ports, so each port has its own."""
        return f"glassrank-{self.port}"

    @property
    def address(self) -> str:
        """The address to open in a browser, with the token if others could connect."""
        own = self.host if ":" not in self.host else f"[{self.host}]"
        return f"http://{own}:{self.port}/" + ("" if self.is_local else f"?token={self.token}")

    def entry_page(self) -> str:
        """Return a page for a file that only this user can read, which takes a browser to the app with a new code.

        Other users see the arguments of a browser, and a file of this user may outlive the app: neither has the token.
        """
        code = secrets.token_urlsafe(24)
        self.codes.add(code)
        return _moved(f"{self.address.partition('?')[0]}?{CODE_FIELD}={code}")

    def allows(self, token: str | None) -> bool:
        """Return whether a token is the right one, in a time that does not depend on where it differs."""
        return token is not None and secrets.compare_digest(token.encode(), self.token.encode())

    def key(self, study: str) -> str:
        """Return the part of a report's address that other sites cannot guess; it opens nothing else."""
        return hmac.digest(self.token.encode(), study.encode(), "sha256").hex()

    def opens(self, study: str, key: str) -> bool:
        """Return whether a key is that of the report of a study."""
        return secrets.compare_digest(key.encode(), self.key(study).encode())


class Guard:
    """Refuses requests from elsewhere, and adds the headers that keep pages to themselves."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope, Headers(scope=scope))

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (HEADERS | {"Content-Security-Policy": POLICY}).items():
                    headers.setdefault(name, value)
            await send(message)

        await (refused or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host, method = headers.get("host", "").lower(), scope["method"]
        if not self.access.answers(host):
            return PlainTextResponse(f"The app does not answer under this address. Open {self._own()}\n", 421)
        if method not in READING and not _from_own_page(headers, host):
            return PlainTextResponse("Requests from pages of other sites are refused.\n", 403)
        # A report in its sandbox sends no cookie. The key in the address of its data replaces it.
        data = REPORT_DATA.fullmatch(scope["path"])
        if self.access.is_local or (data is not None and self.access.opens(data[1], data[2])):
            return None
        return self._stranger(method, scope["query_string"].decode("latin-1"), headers)

    def _stranger(self, method: str, query: str, headers: Headers) -> Response | None:
        """Return the answer to a request without the token, when others could connect."""
        if self.access.allows(parse_qs(query).get(TOKEN_FIELD, [None])[0]) and method in READING:
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.access.cookie, self.access.token, httponly=True, samesite="strict")
            return answer
        code = parse_qs(query).get(CODE_FIELD, [""])[0]
        if code in self.access.codes and method in READING:
            self.access.codes.discard(code)
            # After a redirect from a page on disk, browsers would not send the strict cookie. After a page, they do.
            page = HTMLResponse(_moved("/"))
            page.set_cookie(self.access.cookie, self.access.token, httponly=True, samesite="strict")
            return page
        cookies = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";"))
        if self.access.allows(cookies.get(self.access.cookie)) or self.access.allows(headers.get(TOKEN_HEADER)):
            return None
        return HTMLResponse(
            "<!doctype html><title>Token needed</title><h1>Token needed</h1><p>Open the address that "
            f"<code>{escape('glassrank app')}</code> printed; it contains the token.</p>",
            401,
        )

    def _own(self) -> str:
        return f"http://{sorted(self.access.names)[0]}/"


def _moved(address: str) -> str:
    return f'<!doctype html><title>glassrank</title><meta http-equiv="refresh" content="0;url={escape(address)}">'


def _is_ip(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def _from_own_page(headers: Headers, host: str) -> bool:
    """Return whether a request comes from a page of the app, or from no page, such as a script with the token."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == host


async def sent_form(request: Request) -> FormData:
    """Return the fields of a form: the form of a study has one for each column of its table."""
    return await request.form(max_fields=MAX_FIELDS)


def text_fields(sent: FormData) -> dict[str, str]:
    """Return the fields of a form that are no files."""
    return {name: value for name, value in sent.items() if isinstance(value, str)}


async def has_token(request: Request) -> bool:
    """Return whether a writing request carries the token, as a header or as a field of its form."""
    access: Access = request.app.state.access
    if access.allows(request.headers.get(TOKEN_HEADER)):
        return True
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return False
    sent = (await sent_form(request)).get(TOKEN_FIELD)
    return isinstance(sent, str) and access.allows(sent)
