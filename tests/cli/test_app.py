"""glassrank app: what it refuses before it serves anything."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.cli.commands import glassrank
from tests.house.repository import clean_environment


def test_a_folder_that_does_not_exist_is_bad_usage(tmp_path):
    done = glassrank("app", "no such folder", "--no-browser", folder=tmp_path)
    assert done.code == 2
    assert "no such folder" in done.err
    assert "does not exist" in done.err


def test_a_taken_port_is_bad_usage(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = glassrank("app", "--port", port, "--no-browser", folder=tmp_path)
    assert done.code == 2
    assert f"port {port}" in done.err
    assert "Choose another --port." in done.err


def test_an_address_of_another_computer_is_bad_usage(tmp_path):
    # 192.0.2.0/24 is reserved for documentation (RFC 5737): no computer has such an address.
    done = glassrank("app", "--host", "192.0.2.1", "--port", 0, "--no-browser", folder=tmp_path)
    assert done.code == 2
    assert "Choose another --host." in done.err


def test_the_arguments_of_the_browser_do_not_contain_the_token(tmp_path):
    """Other users see the arguments of a process, so the browser gets a file that only this user can read."""
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o700)
    own = clean_environment(BROWSER=str(browser), PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    command = [sys.executable, "-m", "glassrank", "app", str(tmp_path), "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(command, env=own, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as app:
        try:
            address, token = re.search(r"(http://\S+)/\?token=(\S+)", app.stderr.readline()).groups()
            end = time.monotonic() + 60
            while not seen.exists():
                assert time.monotonic() < end, "no browser was started"
                time.sleep(0.05)
            page = Path(unquote(urlsplit(seen.read_text()).path))
            assert token not in seen.read_text()
            assert page.stat().st_mode & 0o777 == 0o600
            assert token not in page.read_text()
            (entry,) = re.findall(r"url=(http://[^\"]+)", page.read_text())
            local = address.replace("0.0.0.0", "127.0.0.1")
            entry = entry.replace(address, local)
            opened = build_opener(HTTPCookieProcessor())
            assert 'content="0;url=/"' in _when_it_answers(opened, entry)
            assert "No studies yet" in opened.open(f"{local}/").read().decode()
            with pytest.raises(HTTPError, match="401"):
                build_opener().open(entry)  # a code is good for one browser
        finally:
            app.send_signal(signal.SIGINT)
    assert not page.exists()


def _when_it_answers(opener, address):
    end = time.monotonic() + 60
    while True:
        try:
            return opener.open(address).read().decode()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)
