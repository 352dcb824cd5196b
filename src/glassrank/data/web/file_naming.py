"""The settings that give saved files their addresses, and other names of hosts."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from glassrank.core.checks import DataError, within
from glassrank.core.input_types import TableLike
from glassrank.core.setting import setting
from glassrank.data.column_table import Column, ColumnTable
from glassrank.data.web.addresses import FileAddresses
from glassrank.data.web.file_names import (
    FileAddressTable,
    address_by_pattern,
    address_by_table,
    address_in_name,
    check_aliases,
    spelled_address,
)
from glassrank.data.web.table_source import read_table

ADDRESS_SETTINGS = ("base_url", "url_from_name", "url_pattern", "url_table")
"""Settings that give files their addresses; at most one of them is set."""


@dataclass(frozen=True, eq=False, repr=False)
class HostAliases(ColumnTable):
    """Other names of hosts, one row per name.

    >>> HostAliases(alias=["www.a.org"], host=["a.org"])
    HostAliases(1 row: alias, host)
    """

    alias: Annotated[Any, Column("name", "other name of the host")]
    host: Annotated[Any, Column("name", "name to use instead")]


@dataclass(frozen=True)
class FileNaming:
    """How the files of a source get their addresses.

    >>> FileNaming(url_from_name=True).addresses().of_file("www.a.org/x.html")
    'http://www.a.org/x.html'
    """

    base_url: str | None = None
    url_from_name: bool = False
    url_pattern: str | None = None
    url_table: TableLike | None = None

    def __post_init__(self) -> None:
        given = self.given
        if len(given) > 1:
            raise DataError(
                f"{' and '.join(map(setting, given))} both give files their addresses: expected one of them.",
                parameter=given[1],
                remedy="Omit the others.",
            )

    @property
    def given(self) -> list[str]:
        """The settings that are set."""
        # A table must not be compared with a value.
        return [
            name for name in ADDRESS_SETTINGS if getattr(self, name) is not None and getattr(self, name) is not False
        ]

    def addresses(self) -> FileAddresses:
        """Return the address rules; if nothing is set, the address of a file is its path or what its name spells."""
        if self.url_from_name:
            return FileAddresses(named=address_in_name)
        if self.url_pattern is not None:
            return FileAddresses(named=address_by_pattern(self.url_pattern))
        if self._listed is not None:
            with within(self.url_table if isinstance(self.url_table, str | os.PathLike) else "url_table"):
                return FileAddresses(named=address_by_table(self._listed))
        return FileAddresses(self.base_url, None if self.base_url else spelled_address, only_some=True)

    @cached_property
    def _listed(self) -> FileAddressTable | None:
        if self.url_table is None or isinstance(self.url_table, FileAddressTable):
            return self.url_table
        if isinstance(self.url_table, str | os.PathLike):
            return read_table(FileAddressTable, _existing(self.url_table, "url_table"))
        return FileAddressTable.from_frame(self.url_table)

    def key(self) -> dict[str, Any]:
        """Return plain values that change if the addresses may change."""
        table = None
        if self._listed is not None:
            rows = [self._listed.file.tolist(), self._listed.url.tolist()]
            table = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
        names = {"url_from_name": self.url_from_name, "url_pattern": self.url_pattern, "spelled": not self.given}
        return {"base_url": self.base_url, **names, "url_table": table}


def read_aliases(aliases: Mapping[str, str] | str | os.PathLike[str] | None) -> dict[str, str]:
    """Return other names of hosts with the names to use, from a mapping or the path of a table."""
    if aliases is None:
        return {}
    if isinstance(aliases, str | os.PathLike):
        path = _existing(aliases, "aliases")
        table = read_table(HostAliases, path)
        with within(path):
            return check_aliases(dict(zip(table.alias, table.host, strict=True)))
    return check_aliases(aliases)


def _existing(path: str | os.PathLike[str], parameter: str) -> Path:
    if not Path(path).is_file():
        raise DataError(
            f"{path}: there is no such file: expected a table (.csv, .tsv or .parquet).",
            parameter=parameter,
            got=str(path),
            remedy="Check the path.",
        )
    return Path(path)
