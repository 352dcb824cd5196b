"""Bad LETOR text is refused with file, line and column, what was expected, what stands there, and a remedy."""

import gzip
import re

import numpy as np
import pytest

from glassrank import DataError
from glassrank.data.letor.load_letor import load_letor

GOOD = "1 qid:1 1:5 2:6\n"

REFUSED = {
    "no value": ("1 qid:1 3:\n", "1:11: the value of feature 3 must be a number: got nothing."),
    "no feature": ("1 qid:1 :5\n", "1:9: expected <feature number>:<value>, got ':5'."),
    "a word as value": ("1 qid:1 3:abc\n", "1:11: the value of feature 3 must be a number: got 'abc'."),
    "no colon": ("1 qid:1 3 5\n", "1:9: expected <feature number>:<value>, got '3'."),
    "a blank after the colon": ("1 qid:1 3: 5\n", "1:11: the value of feature 3 must be a number: got nothing."),
    "two colons": ("1 qid:1 3:5:6\n", "1:11: the value of feature 3 must be a number: got '5:6'."),
    "a decimal comma": ("1 qid:1 3:0,5\n", "1:11: the value of feature 3 must be a number: got '0,5'."),
    "two signs": ("1 qid:1 3:--5\n", "1:11: the value of feature 3 must be a number: got '--5'."),
    "an empty exponent": ("1 qid:1 3:5e\n", "1:11: the value of feature 3 must be a number: got '5e'."),
    "a point alone": ("1 qid:1 3:.\n", "1:11: the value of feature 3 must be a number: got '.'."),
    "an underscore": ("1 qid:1 3:1_0\n", "1:11: the value of feature 3 must be a number: got '1_0'."),
    "a hexadecimal number": ("1 qid:1 3:0x10\n", "1:11: the value of feature 3 must be a number: got '0x10'."),
    "a negative feature": ("1 qid:1 -3:5\n", "1:9: expected <feature number>:<value>, got '-3:5'."),
    "a named feature": ("1 qid:1 bm25:5\n", "1:9: expected <feature number>:<value>, got 'bm25:5'."),
    "no qid": ("1 1:5\n", "1:3: the query must follow the label: expected qid:<whole number>, got '1:5'."),
    "no qid on a later line": (GOOD + "\n0 1:5\n", "3:3: the query must follow the label"),
    "a label alone": ("1\n", "1:2: the query must follow the label: expected qid:<whole number>, got nothing."),
    "a qid that is a word": ("1 qid:q7 1:5\n", "1:3: qid must be a whole number of 64 bits: got 'qid:q7'."),
    "a qid with a fraction": ("1 qid:1.5 1:5\n", "1:3: qid must be a whole number of 64 bits: got 'qid:1.5'."),
    "an empty qid": ("1 qid: 1:5\n", "1:3: qid must be a whole number of 64 bits: got 'qid:'."),
    "a qid beyond 64 bits": (
        "1 qid:9223372036854775808 1:5\n",
        "1:3: qid must be a whole number of 64 bits: got 'qid:9223372036854775808'.",
    ),
    "two qids": ("1 qid:1 qid:2 1:5\n", "1:9: qid must appear once, right after the label: got 'qid:2'"),
    "a late qid": ("1 qid:1 1:5 qid:1\n", "1:13: qid must appear once, right after the label: got 'qid:1'"),
    "a feature twice": ("1 qid:1 3:5 3:6\n", "1:13: feature 3 appears twice in a line"),
    "descending features": ("1 qid:1 3:5 2:6\n", "1:13: feature numbers must ascend within a line: got 2 after 3."),
    "a label that is a word": ("good qid:1 1:5\n", "1:1: a line must begin with a label that is a number: got 'good'."),
    "a label that is missing": ("qid:1 1:5\n", "1:1: a line must begin with a label that is a number: got 'qid:1'."),
    "a label with rubbish": ("1x qid:1 1:5\n", "1:1: a line must begin with a label that is a number: got '1x'."),
    "a label nan": (GOOD + "nan qid:1 1:5\n", "2:1: the label must be finite: got 'nan'."),
    "a label inf": ("-inf qid:1 1:5\n", "1:1: the label must be finite: got '-inf'."),
    "a label beyond float64": ("1e400 qid:1 1:5\n", "1:1: the label must be finite: got '1e400'."),
    "infinity": ("1 qid:1 3:Infinity\n", "1:11: the value of feature 3 must be within the range of float64: got 'Inf"),
    "a value beyond float64": (
        "1 qid:1 3:-1e400\n",
        "1:11: the value of feature 3 must be within the range of",
    ),
    "a huge feature number": ("1 qid:1 1:5\n0 qid:1 2147483648:5\n", "2:9: feature number 2147483648 is too large"),
    "an endless feature number": (f"1 qid:1 {'9' * 99}:5\n", "1:9: feature number 9999"),
    "a lone carriage return": ("1 qid:1 1:5\r0 qid:1 1:6\r", "1:12: lines must end in a line feed"),
    "a carriage return in a comment": ("1 qid:1 1:5 # a\r0 qid:1 1:6\n", "1:16: lines must end in a line feed"),
    "a NUL byte": ("1 qid:1 1:5 # a\n0 qid:1 1:6 # \0\n", "2:15: expected text, got a NUL byte"),
    "a form feed": ("1 qid:1 1:5\f2:6\n", "1:11: the value of feature 1 must be a number: got '5\\x0c2:6'."),
    "a name twice": ("# feature 1 = a\n# feature 1 = b\n" + GOOD, "2:11: feature 1 is named twice"),
    "a name of a huge feature": ("# feature 2147483648 = a\n" + GOOD, "1:11: feature number 2147483648 is too large"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_mistake_is_refused_where_it_stands(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=re.escape(f"{path}:{message}")) as refusal:
        load_letor(path)
    remedy = str(refusal.value).rsplit(". ", 1)[-1]
    assert re.match("Correct|Remove|Add|Number|Move|Sort|Lines look like|Clip|Convert|Save", remedy)


@pytest.mark.parametrize("text", ["", "\n \n\r\n", "# only a remark\n", "\ufeff"])
def test_a_file_without_rows_is_refused(tmp_path, text):
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=r"bad.txt: expected lines with a label, got none. Check"):
        load_letor(path)


def test_a_file_without_features_is_refused(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1\n0 qid:1\n")
    with pytest.raises(DataError, match=r"bad.txt: expected <feature>:<value> pairs, got lines without any"):
        load_letor(path)


def test_the_first_mistake_is_the_one_reported(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1 1:5 2:1e400\n0 qid:1 1:abc\n")
    with pytest.raises(DataError, match=r"bad.txt:1:15: the value of feature 2"):
        load_letor(path)


def test_columns_are_counted_after_a_byte_order_mark_and_tabs_count_once(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes("\ufeff1\tqid:1\t1:x\n".encode())
    with pytest.raises(DataError, match=r"bad.txt:1:11: "):
        load_letor(path)


def test_binary_files_are_refused(tmp_path):
    path = tmp_path / "bad.npy"
    np.save(path, np.arange(100.0))
    with pytest.raises(DataError, match=r"bad.npy:1:\d+: expected text, got a NUL byte: this is a binary file"):
        load_letor(path)
    path.write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(DataError, match=r"got a NUL byte: this is a binary file or UTF-16 text. Save it as UTF-8"):
        load_letor(path)


def test_a_truncated_gzip_is_refused(tmp_path):
    path = tmp_path / "bad.txt.gz"
    path.write_bytes(gzip.compress(GOOD.encode() * 100)[:-12])
    with pytest.raises(DataError, match=r"bad.txt.gz: the gzip data are truncated"):
        load_letor(path)


def test_identifiers_and_names_that_are_not_utf8_are_refused(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"1 qid:1 1:5 # ok\n0 qid:1 1:6 # gr\xfcn\n")
    with pytest.raises(DataError, match=r"bad.txt:2:15: a document identifier must be UTF-8 text: got b'gr.xfcn'"):
        load_letor(path)
    path.write_bytes(b"# feature 1 = gr\xfcn\n1 qid:1 1:5\n")
    with pytest.raises(DataError, match=r"bad.txt:1:15: a feature name must be UTF-8 text"):
        load_letor(path)


def test_an_endless_identifier_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text(GOOD + "0 qid:1 1:6 # " + "x" * 1001 + "\n")
    with pytest.raises(
        DataError, match=r"bad.txt:2:15: a document identifier must not be longer than 1,000 bytes: got 1,001"
    ):
        load_letor(path)


def test_a_long_token_is_cut_in_the_message(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1 1:" + "x" * 10_000 + "\n")
    with pytest.raises(DataError) as refusal:
        load_letor(path)
    assert len(str(refusal.value)) < 300
