"""CSV and TSV files whose text stays on disk while their columns are read one by one."""

import io
import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import duckdb

from glassrank.data.csv_dialect import CsvText
from glassrank.data.delimited import DelimitedFile
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.files.input_files import open_input


class StreamedTable(DelimitedFile):
    """A delimited file as a table on disk, in a folder for temporary files; close it after use."""

    def __init__(self, path: str | os.PathLike[str], delimiter: str, folder: Path) -> None:
        self._folder = folder
        self._opened: list[io.BufferedReader] = []
        super().__init__(path, delimiter)

    def _open(self) -> None:
        self._copy = self._folder / "table.csv"
        with open_input(self.path) as stream, self._copy.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        # Every field is checked: looking for an underscore first would be another pass over the text.
        self._has_underscore = True

    def _first_line(self) -> str:
        with self._copy.open(encoding="utf-8-sig", errors="replace") as copy:
            return copy.readline().strip()

    def _text(self) -> CsvText:
        self._opened.append(self._copy.open("rb"))
        return CsvText(self._opened[-1], self.delimiter, self.path)

    @cached_property
    def _table(self) -> duckdb.DuckDBPyConnection:
        settings: dict[str, Any] = {"memory_limit": "1GB", "temp_directory": str(self._folder / "spill")}
        with duckdb_errors(f"{self.path}: the table cannot be read"):
            connection = duckdb.connect(str(self._folder / "fields.duckdb"), config=settings)
            connection.execute("SET enable_progress_bar = false")
            connection.read_csv(str(self._copy), **self._options).create("fields")
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._opened:
            stream.close()
        if "_table" in vars(self):
            self._table.close()
