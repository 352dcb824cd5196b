"""The server of the app: routes, errors as pages, static files, and how it is started."""

import mimetypes
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from glassrank.app.background import Background
from glassrank.app.page_frame import Frame, app_page, style_sheet
from glassrank.app.pages import (
    compare_view,
    data,
    feature_selection,
    home,
    new_study,
    nomogram,
    query_intents,
    ranking,
    report,
    ship,
    topic_judges,
    topic_search,
)
from glassrank.app.security import Access, Guard, has_token
from glassrank.app.workspace import Workspace
from glassrank.core.checks import DataError
from glassrank.distillation.figure.live_neighbourhood import driver as neighbourhood_driver
from glassrank.drawing.bundle import vega_script
from glassrank.files.unfollowed_links import without_links
from glassrank.nomograms.figure.live import driver

if TYPE_CHECKING:
    import uvicorn

MAX_BODY = 1 << 30  # bytes of an uploaded file
MAX_TEXT = 1 << 20  # bytes of a text in a form: the limit of Starlette's parser
OLD_TOKEN = "The token of this page is out of date: the app was started again. Reload the page."
PAGES = (
    compare_view,
    data,
    feature_selection,
    home,
    new_study,
    nomogram,
    query_intents,
    ranking,
    report,
    ship,
    topic_judges,
    topic_search,
)
"""Modules with a ``router`` each."""


class Failure(BaseModel):
    """What a route under /api answers if it cannot serve a request."""

    detail: str


FAILURES: dict[int | str, dict[str, Any]] = {404: {"model": Failure}, 422: {"model": Failure}}


def create_app(folder: str | Path, access: Access | None = None, *, resume: bool = True) -> FastAPI:
    """Return the app of a folder of studies; with ``resume``, interrupted studies go on when it starts."""
    workspace = Workspace(folder)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        with without_links(workspace.folder):
            if resume:
                workspace.resume_interrupted()
            yield

    app = FastAPI(title="glassrank", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=life)
    app.state.workspace, app.state.access, app.state.background = workspace, access or Access(), Background()
    app.state.is_ending = lambda: False
    app.include_router(_static())
    for page in PAGES:
        app.include_router(page.router, dependencies=[Depends(check_token)], responses=FAILURES)
    app.add_exception_handler(DataError, _data_error)
    app.add_exception_handler(StarletteHTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY)
    app.add_middleware(Guard, access=app.state.access)
    return app


def run_app(folder: Path, access: Access) -> None:
    """Serve the app until Ctrl-C."""
    server = server_of(create_app(folder, access))
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(1)


def server_of(app: FastAPI) -> "uvicorn.Server":
    """Return a server of the app; when it ends, it waits for pages that load, and not for those that are open."""
    import uvicorn

    access: Access = app.state.access
    server = uvicorn.Server(
        uvicorn.Config(app, host=access.host, port=access.port, log_level="warning", access_log=False)
    )
    app.state.is_ending = lambda: server.should_exit
    return server


async def check_token(request: Request) -> AsyncIterator[None]:
    """Refuse a writing request without the token of this run, and close the files of a form at the end."""
    try:
        if request.method not in ("GET", "HEAD") and not await has_token(request):
            raise HTTPException(403, OLD_TOKEN)
        yield
    finally:
        await request.close()


def _static() -> APIRouter:
    """Routes of the style sheet, scripts and pictures; Vega and the nomogram's script are those of the reports."""
    router = APIRouter(include_in_schema=False)
    made: dict[str, Callable[[], str]] = {
        "app.css": style_sheet,
        "vega.js": vega_script,
        "nomogram.js": driver,
        "neighbourhood.js": neighbourhood_driver,
    }
    folder = files("glassrank.app").joinpath("static")
    names = {one.name for one in folder.iterdir()}

    @router.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in names | set(made):
            raise HTTPException(404, f"There is no file {name!r}.")
        content = made[name]().encode() if name in made else folder.joinpath(name).read_bytes()
        return Response(content, media_type=mimetypes.guess_type(name)[0], headers={"Cache-Control": "no-cache"})

    return router


async def _data_error(request: Request, error: Exception) -> Response:
    return _failed(request, 404 if str(error).startswith("There is no ") else 422, str(error))


async def _http_error(request: Request, error: Exception) -> Response:
    status, detail = getattr(error, "status_code", 500), getattr(error, "detail", "")
    if status == 400 and "exceeded maximum size" in str(detail):  # Starlette's limit of the texts in a form
        status, detail = 413, f"A text in a form has at most {MAX_TEXT:,} bytes. Send it as a file."
    return _failed(request, status, str(detail) if detail != "Not Found" else "There is no page at this address.")


async def _unreadable(request: Request, error: Exception) -> Response:
    """Name the parameter that could not be read, without repeating all that was sent."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": "unreadable"}
    return _failed(request, 422, f"{'.'.join(map(str, first['loc'][1:])) or 'The request'}: {first['msg']}.")


async def _gone(request: Request, error: Exception) -> Response:
    """Answer nobody: the browser has closed the connection, which is no fault."""
    return Response(status_code=400)


async def _unexpected(request: Request, error: Exception) -> Response:
    """Say that something went wrong, never where: a trace belongs to the terminal, which gets it from the server."""
    return _failed(request, 500, "Something went wrong in glassrank. The terminal of the app has the details.")


def _failed(request: Request, status: int, message: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": message}, status)
    heading, _, rest = message.partition(". ")
    content = (
        f'<h1>{escape(heading.rstrip("."))}</h1><p class="verdict">{escape(rest)}</p>'
        '<p><a class="button" href="/">All studies</a></p>'
    )
    return app_page(request, Frame("Error"), content, status)
