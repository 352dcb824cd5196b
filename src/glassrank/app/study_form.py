"""The form of a new study as the arguments of ``glassrank study``: what is shown below the form is what runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.core.table_faults import FaultFinder, TableFault
from glassrank.data.ranking_data import RankingData
from glassrank.studies.ranking.study_data import find_faults
from glassrank.studies.study_options import STUDY_OPTIONS
from glassrank.studies.views.repeat_study import check_arguments
from glassrank.studies.views.table_preview import (
    CATEGORY,
    DOCUMENT,
    FEATURE,
    LABEL,
    LEFT_OUT,
    QUERY,
    SPLIT,
    TRAIN,
    WEIGHT,
)

ROLES = (QUERY, LABEL, DOCUMENT, WEIGHT, SPLIT, FEATURE, CATEGORY, LEFT_OUT)
# Role of one column -> option
COLUMNS = {
    QUERY: "--query-column",
    LABEL: "--label-column",
    DOCUMENT: "--document-column",
    WEIGHT: "--weight-column",
    SPLIT: "--split-column",
}
# Role of several columns -> option
LISTS = {CATEGORY: "--categorical", LEFT_OUT: "--exclude"}
ROLE_FIELD, ONE_QUERY, MAX_TEXT = "role:", "one_query", 4_000
ONE_LIST = "All rows are one list"


@dataclass(frozen=True)
class StudyForm:
    """The choices in the form: the file, the role of each column, and the options."""

    file: str
    test_file: str = ""
    title: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Column -> role; empty for files without named columns."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Option without ``--`` -> the text of its field."""
    one_query: bool = False
    """Whether all rows are one list of documents, so that there is no query column."""

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> "StudyForm":
        """Read the fields of a form; unknown ones are ignored."""
        roles = {name.removeprefix(ROLE_FIELD): role for name, role in sent.items() if name.startswith(ROLE_FIELD)}
        options = {name: sent[name].strip() for name in STUDY_OPTIONS if sent.get(name, "").strip()}
        file, test_file, title = (sent.get(name, "").strip() for name in ("file", "test_file", "title"))
        return cls(file, test_file, title, roles, options, bool(sent.get(ONE_QUERY)))

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the form, to fill it again."""
        named = {"file": self.file, "test_file": self.test_file, "title": self.title}
        named |= {ONE_QUERY: "1"} if self.one_query else {}
        return named | {f"{ROLE_FIELD}{name}": role for name, role in self.roles.items()} | dict(self.options)

    def faults(self, source: Any, read_test: Callable[..., RankingData] | None = None) -> list[TableFault]:
        """Return everything in the columns of a table that the study would refuse."""
        # As the command reads them: a role that no column has keeps its default.
        roles = {"document": DOCUMENT, "weight": WEIGHT, "split": SPLIT}
        reading: dict[str, Any] = {key: name for key, role in roles.items() if (name := self._only(role))}
        reading |= {"qid": self._only(QUERY), "label": self._only(LABEL) or "auto"}
        reading |= {"part": TRAIN} if "split" in reading else {}
        reading["categorical"] = self._named(CATEGORY)
        reading["exclude"] = [*self._named(LEFT_OUT), *(name for role in COLUMNS for name in self._named(role)[1:])]
        reading["missing_values"] = [line.strip() for line in self.options.get("missing", "").splitlines()]
        test = None if read_test is None else lambda: read_test(**reading)
        return [*self._role_faults(), *find_faults(source, reading, self.options.get("folds"), test)]

    def _named(self, role: str) -> list[str]:
        return [name for name, chosen in self.roles.items() if chosen == role]

    def _only(self, role: str) -> str | None:
        """Return the column with a role; the first of several."""
        return next(iter(self._named(role)), None)

    def _role_faults(self) -> list[TableFault]:
        """Return what is wrong with the roles, whatever the columns contain."""
        finder = FaultFinder()
        for role in COLUMNS:
            names = self._named(role)
            with finder.checking(*names[1:2]):
                if len(names) > 1:
                    raise DataError(
                        f"Only one column can be the {role}: got {' and '.join(map(repr, names))}.",
                        remedy="Choose another role for one of them.",
                    )
        with finder.checking():
            if not self.one_query and self._only(QUERY) is None:
                raise DataError(
                    "No column is the query.", remedy=("Choose the role “Query” for one", f"tick “{ONE_LIST}”")
                )
        with finder.checking():
            if self._only(LABEL) is None:
                raise DataError("No column is the label.", remedy="Choose the role “Label” for one.")
        with finder.checking(self._only(SPLIT)):
            if self._only(SPLIT) is not None and self.test_file:
                raise DataError("A column splits the rows, and there is a test file.", remedy="Leave out one of them.")
        return finder.found

    def arguments(self) -> list[str]:
        """Return the arguments of ``glassrank`` without ``--folder``; a wrong choice raises an error.

        >>> StudyForm("shop.csv", roles={"q": "query", "grade": "label", "age": "left out"}).arguments()
        ['study', 'shop.csv', '--query-column', 'q', '--label-column', 'grade', '--exclude', 'age']
        """
        # A file whose name begins with a dash would be read as an option.
        words = ["study", f"./{self.file}" if self.file.startswith("-") else self.file]
        words += ["--test", self.test_file] if self.test_file else []
        words += [*self._columns(), *self._options()]
        words += ["--title", self.title] if self.title else []
        check_arguments(words)
        return words

    def _columns(self) -> list[str]:
        for name, chosen in self.roles.items():
            check_choice(f"the role of {name!r}", chosen, ROLES)
        for fault in self._role_faults() if self.roles else ():
            raise fault.error
        words = ["--one-query"] if self.one_query and self._only(QUERY) is None else []
        for role, option in (COLUMNS | LISTS).items():
            words += [word for name in self._named(role) for word in (option, name)]
        return words

    def _options(self) -> list[str]:
        words: list[str] = []
        for name, text in self.options.items():
            known = STUDY_OPTIONS[name]
            if len(text) > MAX_TEXT:
                raise DataError(f"{known.label}: at most {MAX_TEXT} characters.", remedy="Shorten it.")
            if known.choices and text not in known.choices:
                raise DataError(f"{known.label}: choose one of {', '.join(known.choices)}, got {text!r}.")
            if text != known.default:
                lines = text.splitlines() if known.is_list else [text]
                words += [word for line in lines if line.strip() for word in (f"--{name}", line.strip())]
        return words
