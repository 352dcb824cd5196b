"""A file that matches no schema is rejected with a message that lists its columns and the missing ones."""

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
            "its columns match no schema: 'term', 'address'. Required columns: ubi action_name, query_id; ubi ",
        ),
        ("plain", "query,address", "the schema 'plain' needs the column 'url': the file has 'query', 'address'"),
        ("aol", "AnonID\tQuery\tItemRank\tClickURL", "the schema 'aol' needs the column 'QueryTime': the file has"),
        ("ubi", "query_id,text", "the schema 'ubi' needs the column 'action_name' or 'user_query'"),
        ("letor", "a,b", "schema must be one of 'ubi', 'aol', 'orcas', 'plain', 'wide': got 'letor'"),
    ],
)
def test_the_message_names_the_missing_column_and_the_existing_ones(tmp_path, schema, line, message):
    with pytest.raises(DataError) as error:
        load_log(write(tmp_path, "log.csv", line), schema)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adress": "x"}, "There is no column 'adress' to rename or omit. The columns are"),
        ({"url": None}, "url cannot be omitted"),
        ({"url": 7}, "url must name a column of the file, or be None: got 7"),
        ({"user": "who"}, "the schema 'plain' needs the column 'who'"),
        ({"longest_query": 0}, "longest_query must be a positive whole number: got 0"),
        ({"encoding": "latin-99"}, "encoding must name a text encoding such as 'utf-8' or 'cp1252': got 'latin-99'"),
        ({"encoding": "utf-16"}, "encoding must write tabs and line breaks as one byte: got 'utf-16'"),
    ],
)
def test_an_invalid_option_is_rejected(tmp_path, options, message):
    with pytest.raises(DataError) as error:
        load_log(plain(tmp_path, "zen,click,http://zen.org/", header="query,action,url"), "plain", **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b'[{"query_id": 1}]', "got a list. Save it as JSON lines"),
        (b"{no json\n", "none of the first 100 lines is a JSON object"),
        ("query,action,url".encode("utf-16"), "got UTF-16. Save it as UTF-8"),
        (gzip.compress(b"query,action,url\n" * 99, mtime=0)[:20], "the gzip data are truncated"),
        (b"PAR1 and no more", "expected a Parquet file that DuckDB can read"),
        (b"query,action,url,Query\n", "two columns are called 'Query' (case is ignored)"),
        (b"query,action,url\n", "no valid event was found"),
    ],
)
def test_a_file_without_a_log_is_rejected(tmp_path, content, message):
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(DataError, match="log") as error:
        load_log(path)
    assert message in str(error.value)


def test_missing_files_and_empty_lists_are_rejected(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        load_log(tmp_path / "none")
    with pytest.raises(DataError, match="expected a file, got a folder"):
        load_log(tmp_path)
    with pytest.raises(DataError, match="at least one file"):
        load_log([])


def test_files_of_two_schemas_cannot_be_mixed(tmp_path):
    paths = [aol(tmp_path, "7\tzen\t2006-03-01 07:17:12\t\t"), *ubi(tmp_path, [ubi_query()], [ubi_event()])]
    with pytest.raises(DataError, match=r"All files must have the same schema: .* is aol, .* is ubi"):
        load_log(paths)
