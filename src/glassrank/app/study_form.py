"""The form of a new study as the arguments of ``glassrank study``: what is shown below the form is what runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from glassrank.core.checks import DataError, check_choice
from glassrank.studies.study_options import STUDY_OPTIONS
from glassrank.studies.views.repeat_study import check_arguments
from glassrank.studies.views.table_preview import CATEGORY, DOCUMENT, FEATURE, LABEL, QUERY, SPLIT, WEIGHT

LEFT_OUT = "left out"
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
ROLE_FIELD, MAX_TEXT = "role:", 4_000


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
    text_columns: Sequence[str] = ()
    """Columns that are categories anyway, because they contain text."""

    @classmethod
    def of(cls, sent: Mapping[str, str], text_columns: Sequence[str] = ()) -> "StudyForm":
        """Read the fields of a form; unknown ones are ignored."""
        roles = {name.removeprefix(ROLE_FIELD): role for name, role in sent.items() if name.startswith(ROLE_FIELD)}
        options = {name: sent[name].strip() for name in STUDY_OPTIONS if sent.get(name, "").strip()}
        file, test_file, title = (sent.get(name, "").strip() for name in ("file", "test_file", "title"))
        return cls(file, test_file, title, roles, options, text_columns)

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the form, to fill it again."""
        named = {"file": self.file, "test_file": self.test_file, "title": self.title}
        return named | {f"{ROLE_FIELD}{name}": role for name, role in self.roles.items()} | dict(self.options)

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
        words: list[str] = []
        for name, chosen in self.roles.items():
            check_choice(f"the role of {name!r}", chosen, ROLES)
        if self.roles and QUERY not in self.roles.values():
            words.append("--one-query")
        for role, option in COLUMNS.items():
            names = [name for name, chosen in self.roles.items() if chosen == role]
            if len(names) > 1:
                raise DataError(
                    f"Only one column can be the {role}: got {' and '.join(map(repr, names))}.",
                    remedy="Choose another role for one of them.",
                )
            words += [word for name in names for word in (option, name)]
        for role, option in LISTS.items():
            known = self.text_columns if role == CATEGORY else ()
            for name in (one for one, chosen in self.roles.items() if chosen == role and one not in known):
                words += [option, name]
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
