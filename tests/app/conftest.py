"""A folder with one finished study, the app on it in process, and a real server for the browser."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.security import Access
from glassrank.app.server import create_app, server_of
from tests.app.web_folder import make_folder
from tests.dirty_study import make_dirty_study
from tests.quick_study import resample_seldom

STUDY = "shop"
TITLE = "Shop search"


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory):
    """The folder of this user's key, instead of the real one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    """A folder with the finished study ``shop``; tests must not change it."""
    folder = tmp_path_factory.mktemp("workspace")
    data = gr.simulate_ranking(30, 12, random_state=0).data
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        gr.study(data, folder=folder / STUDY, tune=0, title=TITLE, command="glassrank study shop.csv")
    return folder


@pytest.fixture(scope="session")
def client(workspace):
    """The app in process, as this computer's browser sees it."""
    with TestClient(create_app(workspace, Access(port=80)), base_url="http://127.0.0.1") as one:
        yield one


@pytest.fixture(scope="session")
def dirty(tmp_path_factory):
    """The app on a ``folder`` with a study of dirty data, in which tests may start others."""
    folder = tmp_path_factory.mktemp("dirty")
    make_dirty_study(folder / "dirty")
    app = create_app(folder, Access(port=80))
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as one:
        one.folder = folder
        yield one


@contextmanager
def served(folder) -> Iterator[str]:
    """Serve the app on a free port of this computer, and yield its address."""
    sockets = [socket_on_free_port()]
    port = sockets[0].getsockname()[1]
    with serving(create_app(folder, Access(port=port)), sockets):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serving(app, sockets) -> Iterator[None]:
    """Serve an app until the end of the block."""
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": sockets}, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server does not end"


def socket_on_free_port():
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    return one


@pytest.fixture(scope="session")
def site(workspace):
    """The address of a real server of the workspace."""
    with served(workspace) as address:
        yield address


@pytest.fixture(scope="session")
def web_folder(tmp_path_factory):
    """A folder with a collection, an intent model, statistics and an intent study, and the sources of its queries."""
    folder = tmp_path_factory.mktemp("web-folder")
    return folder, make_folder(folder)


@pytest.fixture(scope="session")
def web_client(web_folder):
    """The app of that folder, in process."""
    with TestClient(create_app(web_folder[0], Access(port=80)), base_url="http://127.0.0.1") as one:
        yield one


@pytest.fixture
def tab(chromium):
    """A page of the browser, with what it complained about."""
    one = chromium.new_page(viewport={"width": 1280, "height": 900})
    one.complaints = []
    one.on("console", lambda message: one.complaints.append(message.text))
    one.on("pageerror", lambda error: one.complaints.append(str(error)))
    yield one
    one.close()
