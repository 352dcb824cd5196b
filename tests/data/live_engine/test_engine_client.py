"""Requests to an engine: what is sent, and what every kind of failure says."""

import socket
import time

import pytest

from glassrank.core.checks import DataError
from glassrank.data.live_engine.engine_client import API_KEY, PASSWORD, USER, EngineClient, EngineRequestError
from tests.data.live_engine.engine_server import as_json, serving

SECRET = "open-sesame-7"


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    for name in (USER, PASSWORD, API_KEY):
        monkeypatch.delenv(name, raising=False)


def failure(answer, **options):
    """Return the error of a request that gets this answer."""
    with serving(lambda request: answer) as server, pytest.raises(DataError) as error:
        EngineClient(f"{server.url}/shop", **options).send("GET", "select")
    return error.value


def test_forms_and_bodies_are_sent_as_they_are():
    with serving(lambda request: as_json({"found": 1})) as server:
        client = EngineClient(f"{server.url}/shop/")
        assert client.send("POST", "select", form={"q": "a&b=ü", "rows": "1"}) == {"found": 1}
        assert client.send("PUT", "store", body=[{"name": "ü"}]) == {"found": 1}
        assert client.send("GET") == {"found": 1}
    form, body, plain = server.received
    assert (form.method, form.path, form.body) == ("POST", "/shop/select", b"q=a%26b%3D%C3%BC&rows=1")
    assert (body.method, body.headers["Content-Type"], body.json()) == ("PUT", "application/json", [{"name": "ü"}])
    assert (plain.method, plain.path, plain.body) == ("GET", "/shop", b"")
    assert "Authorization" not in plain.headers


def test_a_user_and_a_password_are_sent_and_never_shown(monkeypatch):
    monkeypatch.setenv(USER, "ann")
    monkeypatch.setenv(PASSWORD, SECRET)
    with serving(lambda request: as_json({"error": "no"}, 401)) as server:
        client = EngineClient(server.url)
        with pytest.raises(EngineRequestError, match=r"HTTP status 401: no.*GLASSRANK_ENGINE_USER") as error:
            client.send("GET")
    # printf 'ann:open-sesame-7' | base64
    assert server.received[0].headers["Authorization"] == "Basic YW5uOm9wZW4tc2VzYW1lLTc="
    assert error.value.status == 401
    assert SECRET not in f"{error.value} {client!r} {error.value.__cause__}"


def test_an_api_key_is_sent(monkeypatch):
    monkeypatch.setenv(API_KEY, SECRET)
    with serving(lambda request: as_json({})) as server:
        EngineClient(server.url).send("GET")
    assert server.received[0].headers["Authorization"] == f"ApiKey {SECRET}"


def test_credentials_are_not_carried_to_another_host(monkeypatch):
    monkeypatch.setenv(API_KEY, SECRET)
    with serving(lambda request: as_json({})) as elsewhere:
        error = failure((302, {"Location": elsewhere.url}, b""))
    assert "redirects to another address" in str(error)
    assert elsewhere.received == []


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({USER: "ann"}, "both GLASSRANK_ENGINE_USER and GLASSRANK_ENGINE_PASSWORD"),
        ({API_KEY: "k", USER: "ann", PASSWORD: "p"}, "both GLASSRANK_ENGINE_API_KEY and"),
        ({API_KEY: "k\nX: y"}, "printable ASCII"),
    ],
)
def test_wrong_credentials_are_refused(variables, message, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(DataError, match=message):
        EngineClient("http://localhost:1")


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8983", "ftp://a/", "file:///etc/passwd", "http://", "http://[::1", "http://a b/", "http://a:x/"],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(DataError, match="url must be an address that begins with http://"):
        EngineClient(url)


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(DataError, match="url must not contain a user or a password") as error:
        EngineClient(f"http://ann:{SECRET}@localhost/")
    assert SECRET not in str(error.value)


ANSWERS = {
    "Solr's reason": (as_json({"error": {"msg": "undefined field", "code": 400}}, 400), "400: undefined field."),
    "OpenSearch's reason": (
        as_json({"error": {"root_cause": [{"reason": "no such set"}], "reason": "all shards failed"}}, 404),
        "404: no such set. Check the address",
    ),
    "a page": ((502, {}, b"<html>Bad\n Gateway</html>"), "502: <html>Bad Gateway</html>."),
    "no text": ((500, {}, b""), "500: Internal Server Error"),
    "a page instead of JSON": ((200, {}, b"<html>Welcome</html>"), "expected JSON, got markup: '<html>Welcome"),
    "nothing": ((200, {}, b""), "the file is empty|ends too early|expected JSON"),
    "half of it": ((200, {}, b'{"response": {"do'), "the JSON ends too early"),
    "a list": (as_json([1]), "expected a JSON object as answer, got list"),
    "a broken connection": ((200, {"Content-Length": "900"}, b"{}"), "the connection broke: 898 bytes"),
    "Latin-1": ((200, {}, b'{"a": "\xe9"}'), "expected UTF-8 text, got the byte 0xe9"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_no_result_is_explained(name):
    answer, message = ANSWERS[name]
    error = failure(answer)
    assert str(error).startswith("http://127.0.0.1:")
    assert any(part in str(error) for part in message.split("|")), str(error)


def test_an_engine_that_does_not_run_is_named():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(EngineRequestError, match="the engine cannot be reached: Connection refused") as error:
        EngineClient(address).send("GET")
    assert error.value.status == 0


def test_an_engine_that_does_not_answer_is_named():
    def late(request):
        time.sleep(0.3)
        return as_json({})

    with serving(late) as server, pytest.raises(EngineRequestError, match=r"no answer within 0\.05 seconds"):
        EngineClient(server.url, timeout=0.05).send("GET")
