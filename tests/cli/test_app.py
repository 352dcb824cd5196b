"""glassrank app: what it refuses before it serves anything."""

import socket

from tests.cli.commands import glassrank


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
