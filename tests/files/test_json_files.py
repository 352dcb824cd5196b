"""JSON files: objects by line or in one piece, limits, and the line of a fault."""

import lzma

import pytest

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_JSON_BYTES
from glassrank.files.json_files import json_objects, read_json


def test_lines_are_objects_if_the_first_one_is(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\r\n{"a": 1}\r\n\r\n{"a": {"b": [2]}}')
    assert list(json_objects(path)) == [(f"{path}:2", {"a": 1}), (f"{path}:4", {"a": {"b": [2]}})]


def test_an_object_over_several_lines_is_one(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(lzma.compress(b'{\n"a": 1,\n"b": null\n}\n'))
    assert list(json_objects(path)) == [(str(path), {"a": 1, "b": None})]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'{"a": 1}\n{"a": 2}}\n', ":2: expected JSON: Extra data at '}'"),
        (b'{\n"a": 1\n"b": 2}\n', ":3: expected JSON: Expecting ',' delimiter at '\"b\": 2}'"),
        (b'{\n"a": 1,\n"b": "\xff"}\n', ":3: expected UTF-8 text, got the byte 0xff"),
        (b'{"a": 1}\n\n{"b": "\xff"}\n', ":3: expected UTF-8 text, got the byte 0xff"),
        (b'{"a": 1}\n[2]\n', ":2: expected a JSON object, got a list"),
        (b"17\n", ": expected a JSON object, got int"),
    ],
)
def test_a_fault_is_located(content, place, tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        list(json_objects(path))
    assert str(error.value).startswith(f"{path}{place}")


def test_a_file_and_a_line_beyond_the_limit_are_refused(tmp_path):
    with (tmp_path / "long.json").open("wb") as file:
        file.write(b'{"a":\n')
        file.truncate(MAX_JSON_BYTES + 1)
    with pytest.raises(DataError, match=r"long\.json: the file is longer than 67,108,864 bytes"):
        read_json(tmp_path / "long.json")
    with (tmp_path / "line.jsonl").open("wb") as file:
        file.truncate(MAX_JSON_BYTES + 2_000_000)
    with pytest.raises(DataError, match=r"line\.jsonl:1: the line is longer than 67,108,864 bytes"):
        list(json_objects(tmp_path / "line.jsonl"))
