"""CSV text: what the csv module reads back, with the same line ends on every system."""

import csv
import io

from glassrank.files.csv_text import csv_of_records, csv_text

HARD = ["bare\rreturn", "with, comma", 'with "quotes"', "two\nlines", "both\r\nends", " blanks ", "", "zoë"]


def test_every_text_is_read_back_as_it_was():
    text = csv_text(["first", "second"], zip(HARD, reversed(HARD), strict=True))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["first", "second"],
        *map(list, zip(HARD, reversed(HARD), strict=True)),
    ]


def test_lines_end_with_a_line_feed_alone():
    assert csv_text(["a", "b"], [[1, 2], [3, 4]]) == "a,b\n1,2\n3,4\n"


def test_numbers_keep_all_digits_and_none_is_empty():
    assert csv_text(["a", "b", "c"], [[0.1 + 0.2, 2**70, None]]) == f"a,b,c\n0.30000000000000004,{2**70},\n"


def test_columns_without_rows_are_a_line_of_names():
    assert csv_text(["a", "b"], []) == "a,b\n"


def test_records_are_written_by_name_whatever_their_order():
    assert csv_of_records([{"a": 1, "b": 2}, {"b": 4, "a": 3}]) == "a,b\n1,2\n3,4\n"


def test_names_that_only_later_records_have_become_the_last_columns():
    assert csv_of_records([{"a": 1}, {"c": 2, "a": 3}, {"b": 4}]) == "a,c,b\n1,,\n3,2,\n,,4\n"
