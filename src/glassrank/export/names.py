"""Names that every engine accepts, and a proposal for those that it does not."""

import re
from collections.abc import Mapping, Sequence

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import setting
from glassrank.data.read_features import whole_name

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")  # PostgreSQL cuts longer ones
AUTO = "auto"
RESERVED = "gr_"  # start of the names of features that an export defines itself


def checked_names(names: Sequence[str], rename: Mapping[str, str] | str | None = None) -> dict[str, str]:
    """Return the model's names with those in the engine, which must be identifiers, different even ignoring case.

    With ``"auto"``, names that are not get one that is.

    >>> checked_names(["bm25", "click rate"], {"click rate": "click_rate"})
    {'bm25': 'bm25', 'click rate': 'click_rate'}
    """
    if isinstance(rename, str):
        check_choice("rename", rename, [AUTO])
        rename = proposed_names(names)
    rename = dict(rename or {})
    unknown = sorted(set(rename) - set(names))
    if unknown:
        raise DataError(
            f"rename must name features of the model: got {unknown[0]!r}.", parameter="rename", got=unknown[0]
        )
    found = {name: rename.get(name, name) for name in names}
    wrong = [name for name, own in found.items() if not is_name(own)]
    lower = [own.lower() for own in found.values()]
    wrong += [name for name, own in found.items() if name not in wrong and lower.count(own.lower()) > 1]
    if wrong or len(found) < len(names):
        raise _refusal(names, wrong)
    return found


def is_name(name: str) -> bool:
    """Whether a name works in every engine: letters, digits and underscores, at most 63, and not one of ours."""
    return NAME.fullmatch(name) is not None and not name.lower().startswith(RESERVED)


def missing_column(name: str) -> str:
    """Return the name of the column that is 1 if a feature is missing."""
    return f"{RESERVED}no_{name}"


def level_column(name: str, level: int) -> str:
    """Return the name of the column that is 1 if a category has a level."""
    return f"{RESERVED}is_{name}_{level}"


def other_column(name: str) -> str:
    """Return the name of the column that is 1 if a category has a level that training did not have."""
    return f"{RESERVED}other_{name}"


def check_levels(name: str, levels: Sequence[str]) -> None:
    """Raise an error for a level that the caller of an export cannot pass: no text, or the name of another level."""
    for level in levels:
        fault = "" if whole_name(level) == level else f"would be read as {whole_name(level)!r}"
        if re.search("[\0\ud800-\udfff]", level):
            fault = "contains a null character or half of a surrogate pair"
        if fault:
            raise DataError(
                f"The level {level!r} of {name!r} {fault}.", remedy="Rename the level in the training data."
            )


def check_model_name(name: str) -> str:
    """Raise an error unless a name can be that of a model."""
    if NAME.fullmatch(name) is None or len(name) > 50:
        raise DataError(
            parameter="name",
            expected="at most 50 letters, digits and underscores that do not start with a digit",
            got=name,
        )
    return name


def proposed_names(names: Sequence[str]) -> dict[str, str]:
    """Return an acceptable name for each name that is not one, or equals an earlier one ignoring case.

    >>> proposed_names(["bm25", "click rate", "7", "BM25"])
    {'click rate': 'click_rate', '7': 'f_7', 'BM25': 'BM25_2'}
    """
    first = {name.lower(): name for name in reversed(names) if is_name(name)}
    taken = set(first)
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if first.get(name.lower()) == name:
            continue
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:56].strip("_") or "feature"
        base = f"f_{base}" if not is_name(base) else base
        proposal, number = base, 2
        while proposal.lower() in taken:
            proposal, number = f"{base}_{number}", number + 1
        taken.add(proposal.lower())
        found[name] = proposal
    return found


def _refusal(names: Sequence[str], wrong: Sequence[str]) -> DataError:
    if not wrong:
        return DataError("Two features have the same name, which no engine can tell apart.", parameter="feature_names")
    proposal = {name: own for name, own in proposed_names(names).items() if name in wrong}
    return DataError(
        "Exported names consist of letters, digits and underscores, and no two differ only in case: got "
        f"{wrong[0]!r}{'' if len(wrong) == 1 else f' and {len(wrong) - 1} more'}.",
        remedy=(
            f"Rename them automatically with {setting('rename', AUTO)}",
            f"choose names yourself, such as {setting('rename', dict(list(proposal.items())[:1]))}",
        ),
    )
