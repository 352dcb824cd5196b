"""Requests from elsewhere are refused, and pages keep to themselves."""

import json
import shutil
import socket
import time
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from fastapi.testclient import TestClient

from glassrank.app.security import Access
from glassrank.app.server import create_app
from tests.app.conftest import STUDY, served, serving, socket_on_free_port

TOKEN = "x-glassrank-token"


def test_a_foreign_host_gets_nothing(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:81", "", "localhost@evil.example"):
        answer = client.get("/", headers={"host": host})
        assert answer.status_code == 421, host
        assert STUDY not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST:80"])
def test_this_computer_is_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1:81"},
    ],
    ids=str,
)
def test_writing_from_another_site_is_refused_even_with_the_token(client, headers):
    token = client.app.state.access.token
    answer = client.post("/demo", headers={TOKEN: token, **headers})
    assert answer.status_code == 403
    assert "other sites" in answer.text


def test_writing_needs_the_token_of_this_run(client, workspace):
    for headers, fields in (({}, {}), ({TOKEN: "wrong"}, {}), ({}, {"token": "wrong"}), ({"cookie": "token=x"}, {})):
        answer = client.post("/demo", headers=headers, data=fields)
        assert answer.status_code == 403
        assert "Reload the page" in answer.text
    assert [path.name for path in workspace.iterdir()] == [STUDY]


def test_pages_may_load_only_what_the_app_serves(client):
    answer = client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    # Other sites get no referrer. With "no-referrer", Chromium sends "Origin: null" with forms of the app's own pages.
    assert answer.headers["referrer-policy"] == "same-origin"


def test_a_report_runs_in_a_sandbox_without_the_rights_of_the_app(client):
    policy = client.get(f"/s/{STUDY}/report").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy


@pytest.fixture
def large(tmp_path, workspace):
    """A folder with the study ``large``, whose report has its data beside it."""
    (tmp_path / "large" / "report-data").mkdir(parents=True)
    for name in ("study.json", "report.html"):
        (tmp_path / "large" / name).write_bytes((workspace / STUDY / name).read_bytes())
    (tmp_path / "large" / "report-data" / "queries.js").write_text('glassrankData("t","queries",[]);')
    (tmp_path / "large" / "report-data" / "page.html").write_text("<script src=queries.js></script>")
    return tmp_path


def test_only_the_report_itself_finds_its_data(large):
    with TestClient(create_app(large, Access(port=80)), base_url="http://127.0.0.1") as one:
        report = one.get("/s/large/report")
        data = one.get(report.url.join("report-data/queries.js"))
        assert data.text.startswith("glassrankData")
        assert data.headers["cross-origin-resource-policy"] == "cross-origin"
        assert data.headers["content-security-policy"].startswith("sandbox")
        # Another site does not know the key, and a page beside the data would run outside the sandbox of the report.
        for path in ("report-data/queries.js", "report/0/report-data/queries.js", "report/0/"):
            assert one.get(f"/s/large/{path}").status_code == 404, path
        assert one.get(report.url.join("report-data/page.html")).status_code == 404


def test_a_report_finds_its_data_without_the_cookie_that_its_sandbox_keeps_back(large):
    access = Access(host="192.0.2.7", port=8000)
    with TestClient(create_app(large, access), base_url="http://192.0.2.7:8000") as one:
        assert one.get(f"/s/large/report/{access.key('large')}/report-data/queries.js").status_code == 200
        for path in (f"{access.key('large')}/", f"{access.key('other')}/report-data/queries.js"):
            assert one.get(f"/s/large/report/{path}").status_code == 401, path


@pytest.mark.parametrize(
    "path",
    [
        "/s/..%2f..%2fetc/report",
        "/s/%2e%2e/report",
        f"/s/{STUDY}/files/..%2fstudy.json",
        f"/s/{STUDY}/files/..%2f..%2f..%2fetc%2fpasswd",
        f"/s/{STUDY}/report/KEY/report-data/..%2fstudy.json",
        f"/s/{STUDY}/files/steps",
        "/static/..%2fserver.py",
        "/static/%2fetc%2fpasswd",
    ],
)
def test_no_address_leads_out_of_the_folder(client, path):
    answer = client.get(path.replace("KEY", client.app.state.access.key(STUDY)))
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_a_symbolic_link_is_not_a_study(tmp_path, workspace):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link").symlink_to(workspace / STUDY)
    with TestClient(create_app(tmp_path / "inner", Access(port=80)), base_url="http://127.0.0.1") as one:
        assert one.get("/api/studies").json() == []
        assert one.get("/s/link/report").status_code == 404


def test_other_computers_need_the_token_also_for_reading(workspace):
    access = Access(host="192.0.2.7", port=8000)
    with TestClient(create_app(workspace, access), base_url="http://192.0.2.7:8000", follow_redirects=False) as one:
        refused = one.get("/")
        assert refused.status_code == 401
        assert STUDY not in refused.text
        entered = one.get("/", params={"token": access.token})
        assert entered.status_code == 303
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert "samesite=strict" in entered.headers["set-cookie"].lower()
        assert one.get("/").status_code == 200
    assert access.address == f"http://192.0.2.7:8000/?token={access.token}"


def test_on_all_addresses_other_computers_reach_the_app_by_its_ip_address(workspace):
    access = Access(host="0.0.0.0", port=8000)
    with TestClient(create_app(workspace, access), base_url="http://127.0.0.1:8000", follow_redirects=False) as one:
        for host, status in (
            ("192.0.2.7:8000", 401),
            ("[2001:db8::7]:8000", 401),
            ("192.0.2.7:8001", 421),
            ("evil.example:8000", 421),
            ("192.0.2.7.evil.example:8000", 421),
        ):
            assert one.get("/", headers={"host": host}).status_code == status, host
            known = {"host": host, "cookie": f"{access.cookie}={access.token}"}
            assert one.get("/", headers=known).status_code == (200 if status == 401 else status), host


def test_apps_on_two_ports_do_not_log_each_other_out(workspace):
    cookies = {}
    for port in (8000, 8001):
        access = Access(host="192.0.2.7", port=port)
        with TestClient(create_app(workspace, access), base_url=f"http://192.0.2.7:{port}", cookies=cookies) as one:
            one.get("/", params={"token": access.token})
            cookies |= dict(one.cookies)
    assert len(set(cookies.values())) == 2


def test_every_run_has_its_own_token():
    assert Access().token != Access().token
    assert len(Access().token) >= 32


def test_errors_show_no_trace(client, monkeypatch):
    from glassrank.app.workspace import Workspace

    def broken(self):
        raise RuntimeError("secret place")

    quiet = TestClient(client.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    monkeypatch.setattr(Workspace, "studies", broken)
    for path in ("/", "/api/studies"):
        answer = quiet.get(path)
        assert answer.status_code == 500
        assert "Something went wrong" in answer.text
        assert "secret" not in answer.text
        assert "Traceback" not in answer.text


@pytest.mark.browser
def test_the_page_for_the_browser_leads_into_the_app(tab, tmp_path, workspace):
    sockets = [socket_on_free_port()]
    access = Access("0.0.0.0", sockets[0].getsockname()[1])
    (tmp_path / "entry.html").write_text(access.entry_page())
    with serving(create_app(workspace, access), sockets):
        tab.goto((tmp_path / "entry.html").as_uri())
        tab.get_by_role("heading", name="Studies").wait_for()
        assert access.token not in tab.url
        assert next(iter(access.codes), None) is None


def test_a_closed_connection_prints_no_traceback(capfd, workspace):
    with served(workspace) as address:
        place = urlsplit(address)
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=b"):
            head = f"POST /new HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: {kind}\r\n"
            with socket.create_connection((place.hostname, place.port)) as one:
                one.sendall(f"{head}Content-Length: 99\r\n\r\n--b".encode())
                time.sleep(0.2)
        assert urlopen(f"{address}/api/studies").status == 200
    assert capfd.readouterr().err == ""


def test_characters_that_nobody_sees_are_shown_as_codes(tmp_path, workspace):
    """U+202E turns a name round, U+200B and U+2066 hide in it."""
    shutil.copytree(workspace / STUDY, tmp_path / "odd")
    record = json.loads((tmp_path / "odd" / "study.json").read_text())
    (tmp_path / "odd" / "study.json").write_text(json.dumps(record | {"title": "Shop\u202e \u200b\u2066\U000e0041x"}))
    (tmp_path / "odd.csv").write_text("qid,label,pri\u202ece,\u200b\n1,2,3,4\n")
    with TestClient(create_app(tmp_path, Access(port=80)), base_url="http://127.0.0.1") as one:
        pages = [one.get(path).text for path in ("/", "/s/odd/ranking", "/s/odd/data", "/new?file=odd.csv")]
        wrong = {"file": "odd.csv", "title": "a\u202eb", "kernel": "magic", "token": one.app.state.access.token}
        sent = one.post("/new", data=wrong).text
    for page in (*pages, sent):
        assert not set(page) & set("\u202e\u200b\u2066\U000e0041")
    assert r"Shop\u202e \u200b\u2066\U000e0041x" in pages[0]
    assert r"<title>Data of Shop\u202e" in pages[2]
    assert r"<code>pri\u202ece</code>" in pages[3]
    assert 'name="role:pri&#8238;ce"' in pages[3]  # the field itself stays as it is
    assert 'value="a&#8238;b"' in sent
