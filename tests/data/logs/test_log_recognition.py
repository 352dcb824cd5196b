"""A file that fits no schema is refused with what it lacks and what it has."""

import gzip

import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import load_log
from tests.data.logs.files import aol, plain, ubi, ubi_event, ubi_query, write


@pytest.mark.parametrize(
    ("schema", "line", "message"),
    [
        (
            None,
            "term,address",
            "no schema fits its columns, 'term', 'address'. They need: ubi action_name, query_id; ubi query_id, ",
        ),
        ("plain", "query,address", "the schema 'plain' needs the column 'url': the file has 'query', 'address'"),
        ("aol", "AnonID\tQuery\tItemRank\tClickURL", "the schema 'aol' needs the column 'QueryTime': the file has"),
        ("ubi", "query_id,text", "the schema 'ubi' needs the column 'action_name' or 'user_query'"),
        ("letor", "a,b", "schema must be one of 'ubi', 'aol', 'orcas', 'plain': got 'letor'"),
    ],
)
def test_the_message_names_the_missing_column_and_those_there_are(tmp_path, schema, line, message):
    with pytest.raises(DataError) as error:
        load_log(write(tmp_path, "log.csv", line), schema)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adress": "x"}, "There is no column 'adress' to rename or leave out. The columns are"),
        ({"url": None}, "url cannot be left out"),
        ({"url": 7}, "url must name a column of the file, or be None: got 7"),
        ({"user": "who"}, "the schema 'plain' needs the column 'who'"),
        ({"longest_query": 0}, "longest_query must be a positive whole number: got 0"),
        ({"encoding": "latin-99"}, "encoding must name a text encoding such as 'utf-8' or 'cp1252': got 'latin-99'"),
        ({"encoding": "utf-16"}, "encoding must keep tabs and line breaks as bytes: got 'utf-16'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(tmp_path, options, message):
    with pytest.raises(DataError) as error:
        load_log(plain(tmp_path, "zen,click,http://zen.org/", header="query,action,url"), "plain", **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b'[{"query_id": 1}]', "got a list. Write it as JSON lines"),
        (b"{no json\n", "none of the first 100 lines is a JSON object"),
        ("query,action,url".encode("utf-16"), "got UTF-16. Save it as UTF-8"),
        (gzip.compress(b"query,action,url\n" * 99, mtime=0)[:20], "the gzip data are truncated"),
        (b"PAR1 and no more", "expected a Parquet file that DuckDB reads"),
        (b"query,action,url,Query\n", "two columns are called 'Query', capitals aside"),
        (b"query,action,url\n", "no event is left to make a log of"),
    ],
)
def test_a_file_that_holds_no_log_is_refused(tmp_path, content, message):
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(DataError, match="log") as error:
        load_log(path)
    assert message in str(error.value)


def test_files_that_are_not_there_or_none_are_refused(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        load_log(tmp_path / "none")
    with pytest.raises(DataError, match="expected a file, got a folder"):
        load_log(tmp_path)
    with pytest.raises(DataError, match="at least one file"):
        load_log([])


def test_files_of_two_schemas_are_not_mixed(tmp_path):
    paths = [aol(tmp_path, "7\tzen\t2006-03-01 07:17:12\t\t"), *ubi(tmp_path, [ubi_query()], [ubi_event()])]
    with pytest.raises(DataError, match=r"All files must be of one schema: .* is aol, .* is ubi"):
        load_log(paths)
