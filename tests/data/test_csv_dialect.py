"""The one dialect of separated values: it reads what Python's csv module reads, or refuses it with the line."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassrank import DataError
from glassrank.core.limits import MAX_COLUMNS, MAX_RECORD_BYTES
from glassrank.data.csv_dialect import CsvText

SIGNS = st.sampled_from(['"', ",", "\t", "\n", "\r\n", "\r", " ", "#", "a", "é", "'", "\\", ";", "\0"])


class Dribble(io.BytesIO):
    """A stream that gives a few bytes at a time, so that every record meets the end of a piece."""

    def read1(self, size=-1):
        return super().read1(min(size, 3))


def by_python(text, delimiter):
    """Records of Python's csv module with the lines they begin at, blank lines left out; None if it objects."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found, line = [], 1
    try:
        for fields in reader:
            if fields:
                found.append((line, fields))
            line = reader.line_num + 1
    except csv.Error:
        return None
    return found


def read(text, delimiter=",", stream=io.BytesIO):
    opened = CsvText(stream(text.encode()), delimiter, "x.csv")
    return [(1, list(opened.names)), *opened.records()]


@given(st.lists(SIGNS, max_size=25).map("".join), st.sampled_from([",", "\t"]))
@example('27" tv,1\nx" y,2\n', ",")
@example('\t\t"x"\n', "\t")
@example('"a\n\rb",c\n', ",")
def test_what_is_read_is_what_python_reads_and_the_rest_is_refused(body, delimiter):
    text = f"one{delimiter}two\n{body}"
    for stream in (io.BytesIO, Dribble):
        try:
            found = read(text, delimiter, stream)
        except DataError:
            continue
        assert found == by_python(text, delimiter)
        counted = CsvText(stream(text.encode()), delimiter, "x.csv")
        assert counted.count() == len(found) - 1


@given(st.lists(st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\0"))] * 2), max_size=5))
def test_whatever_python_quotes_is_read(rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([("one", "two"), *rows])
    assert [tuple(fields) for _, fields in read(text.getvalue())] == [("one", "two"), *rows]
    assert [tuple(fields) for _, fields in read(text.getvalue(), stream=Dribble)] == [("one", "two"), *rows]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoted", [False, True])
def test_long_files_are_counted_and_a_fault_far_down_is_found(line_end, quoted):
    """The text takes more than one piece of the file."""
    rows = [f"{number},{'b' * 60}" for number in range(20_000)]
    if quoted:
        rows[10_000] = f'"{line_end}",""'
    text = line_end.join(["one,two", *rows])
    opened = CsvText(io.BytesIO(text.encode()), ",", "x.csv")
    assert opened.count() == 20_000
    assert opened.has_quoted_line_breaks is quoted
    rows[18_000] = "a,b,"
    text = line_end.join(["one,two", *rows])
    with pytest.raises(DataError, match=f"x.csv:{18_002 + quoted}: expected 2 fields as in the header, got 3"):
        CsvText(io.BytesIO(text.encode()), ",", "x.csv").count()


@pytest.mark.parametrize("other", ["\r\n", "\r"])
def test_line_ends_of_two_kinds_are_refused_wherever_they_are(other):
    rows = [f"a,{'b' * 60}\n"] * 20_000
    for place in (0, 19_999):
        mixed = [*rows[:place], f"a,b{other}", *rows[place + 1 :]]
        with pytest.raises(DataError, match="some lines end in"):
            CsvText(io.BytesIO("".join(["one,two\n", *mixed, "c,d\n"]).encode()), ",", "x.csv").count()


def test_a_byte_of_another_encoding_far_down_is_found():
    text = b"one,two\n" + b"a,b\n" * 300_000 + b"\xe9,b\n"
    with pytest.raises(DataError, match=r"x.csv:300002: expected UTF-8 text, got the byte 0xe9"):
        CsvText(io.BytesIO(text), ",", "x.csv").count()


def test_a_forgotten_quote_is_refused_without_reading_the_whole_file():
    endless = io.BytesIO(b'one,two\na,"b\n' + b"a,b\n" * 5_000_000)
    with pytest.raises(DataError, match=rf"x.csv:2: the record is longer than {MAX_RECORD_BYTES:,} bytes"):
        CsvText(endless, ",", "x.csv").count()
    assert endless.tell() < 3 * MAX_RECORD_BYTES


def test_too_many_columns_are_refused_by_the_header():
    header = ",".join(f"f{number}" for number in range(MAX_COLUMNS + 1))
    with pytest.raises(DataError, match=rf"has {MAX_COLUMNS + 1:,} columns: expected at most {MAX_COLUMNS:,}.*LETOR"):
        CsvText(io.BytesIO(header.encode()), ",", "x.csv")
