"""Levels 1 and 2 of an intent study: features of results and of queries, computed once and stored in a file."""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, read_only
from glassrank.core.progress import Progress, silent
from glassrank.core.wording import counted
from glassrank.data.column_table import ColumnTable
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.unfollowed_links import open_file
from glassrank.navigational.coupling.coupling_chart import RankChart, rank_chart
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.query_url_features import checked_input, compute_features
from glassrank.navigational.rank_profile import RankProfile, rank_profile
from glassrank.navigational.source_matching import Match, match_sources
from glassrank.navigational.unusual_input import Unusual
from glassrank.studies.intent.intents import Intents
from glassrank.studies.resumable_steps import damaged_note, reused_note

# Figure 2 of Lu, Peng, Li and Ahmed (2006) shows urlmr; the text also names the click ratio and the anchor entropy.
PROFILED = ("urlmr", "clk_CR", "anc_host_H")
RANKS = 100
COLUMNS = ("features", "operators", "categories", "query_ids", "queries")


def digest_sources(sources: IntentSources) -> str:
    """Return a digest of all values of the tables and all bytes of the files."""
    settings = (sources.language, sources.trusted_hosts, sources.last_time, sources.urlmr, sources.bare_hosts)
    digest = hashlib.sha256(json.dumps(settings).encode())
    for table in (sources.results, sources.clicks, sources.links, sources.pages):
        digest.update(b"table")
        if isinstance(table, ColumnTable):
            _add_table(digest, table)
        elif table is not None:
            _add_file(digest, table)
    if sources.fused is not None:
        digest.update(sources.fused.votes.tobytes() + sources.fused.fusion.tobytes())
    return digest.hexdigest()


def features_of_results(
    sources: IntentSources, *, strict: bool = False, progress: Progress | None = None
) -> QueryUrlFeatures:
    """Compute the features of every result; ``progress`` is called before each group of features."""
    return compute_features(sources, checked_input(sources, strict=strict), progress)


def profile_of_queries(
    sources: IntentSources,
    queries: Sequence[str],
    feature: str = "urlmr",
    *,
    intents: Intents | None = None,
    ranks: int = RANKS,
    strict: bool = False,
) -> RankProfile:
    """Compute the features of some queries only, and return one of them over the ranks; the values are as for all."""
    rows = np.flatnonzero(np.isin(sources.results.query_id.astype(str), list(queries)))
    unusual = checked_input(sources, strict=strict)
    table = compute_features(sources.part(rows), unusual)
    return rank_profile(table, queries, feature, intents=intents, ranks=ranks)


@dataclass(frozen=True, eq=False)
class MadeFeatures:
    """Features of queries, with charts and notes about them."""

    queries: QueryFeatures
    profiles: tuple[RankChart, ...]
    absent: Mapping[str, tuple[str, ...]]
    unusual: tuple[str, ...]
    """Notes on unusual input and on how well the sources match the results."""


def make_features(
    sources: IntentSources,
    intents: Intents,
    *,
    strict: bool = False,
    progress: Progress = silent,
) -> MadeFeatures:
    """Compute the features of every result, and summarise them for every query."""
    table = features_of_results(sources, strict=strict, progress=progress)
    progress(0, None, "Features of queries: 15 operators")
    profiles, without = _profiles(table, intents)
    matching = match_sources(sources, intents)
    notes = (*without, *map(str, matching), *unusual_notes(table.reading))
    return MadeFeatures(integrate(table), tuple(profiles), table.absent, notes)


def notes_on(
    absent: Mapping[str, tuple[str, ...]], matching: Iterable[Match], unusual: Mapping[str, Unusual], n_left_out: int
) -> tuple[str, ...]:
    """Return notes on absent sources, on matching, on unusual input and on results beyond the operators' ranks.

    A note on an absent source names one of its features and counts the others.

    >>> for note in notes_on({"pages": ("ti_cov", "pg_img"), "images": ("pg_img",)}, [], {}, 1200):
    ...     print(note)
    No pages: without ti_cov and 1 more.
    1,200 results are left out: the operators read the first 100 ranks only.
    """
    lacking, mentioned = [], set[str]()
    for need, names in sorted(absent.items(), key=lambda item: -len(item[1])):
        if not mentioned.issuperset(names):
            more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
            lacking.append(f"No {need}: without {names[0]}{more}.")
            mentioned.update(names)
    return (*lacking, *map(str, matching), *unusual_notes(unusual), *left_out_notes(n_left_out))


def unusual_notes(unusual: Mapping[str, Unusual]) -> tuple[str, ...]:
    """Return notes on unusual input.

    >>> unusual_notes({"long query": Unusual(2, "query", "'zen'", "cut off")})
    ("Unusual input, long query: 2 queries, the first 'zen' (cut off).",)
    """
    return tuple(f"Unusual input, {kind}: {found}." for kind, found in unusual.items())


def left_out_notes(n_left_out: int) -> tuple[str, ...]:
    """Return a note on the results beyond the ranks that the operators read, if there are any.

    >>> left_out_notes(0), left_out_notes(7)
    ((), ('7 results are left out: the operators read the first 100 ranks only.',))
    """
    if not n_left_out:
        return ()
    are = counted(n_left_out, "result is", "results are")
    return (f"{are} left out: the operators read the first {RANKS} ranks only.",)


def _profiles(table: QueryUrlFeatures, intents: Intents) -> tuple[list[RankChart], list[str]]:
    """Draw features over the ranks; a feature without values for one kind of query is left out, with a note.

    The figure compares two kinds of queries, so there is none for more than two classes.
    """
    charts: list[RankChart] = []
    notes: list[str] = []
    if len(set(intents.values())) > 2:
        return charts, notes
    for name in PROFILED:
        if name in table.names:
            try:
                charts.append(rank_chart(table, name, intents, ranks=RANKS))
            except DataError as error:
                notes.append(f"Figure 2 omits {name}: {error.problem}")
    return charts, notes


def stored_features(
    path: Path, fingerprint: str, compute: Callable[[], MadeFeatures], say: Callable[[str], None]
) -> MadeFeatures:
    """Return the features of an earlier run with the same data and options; otherwise compute and store them."""
    try:
        made = _read(path, fingerprint)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        made = None
        if not isinstance(error, FileNotFoundError):
            say(damaged_note(path))
    if made is not None:
        say(reused_note("Features of results and queries"))
        return made
    made = compute()
    make_folder(path.parent)
    write_atomically(path, _packed(made, fingerprint))
    return made


def _packed(made: MadeFeatures, fingerprint: str) -> bytes:
    words = {
        "fingerprint": fingerprint,
        "n_left_out": made.queries.n_left_out,
        "profiles": [[one.feature, [_listed(kind) for kind in one.kinds]] for one in made.profiles],
        "absent": {need: list(names) for need, names in made.absent.items()},
        "unusual": made.unusual,
        **{name: getattr(made.queries, name) for name in COLUMNS},
    }
    text, file = json.dumps(words).encode(), io.BytesIO()
    checksum = _checksum(text, made.queries.X)
    np.savez(
        file,
        X=made.queries.X,
        words=np.frombuffer(text, dtype=np.uint8),
        checksum=np.frombuffer(checksum, dtype=np.uint8),
    )
    return file.getvalue()


def _checksum(words: bytes, X: FloatArray) -> bytes:
    return hashlib.sha256(words + str((X.shape, X.dtype)).encode() + X.tobytes()).digest()


def _listed(kind: tuple[str, Any, Any, Any, int]) -> list[Any]:
    name, *curves, n_queries = kind
    return [name, *(curve.tolist() for curve in curves), n_queries]


def _read(path: Path, fingerprint: str) -> MadeFeatures | None:
    """Read stored features; None if they belong to other data or options."""
    with open(path, "rb", opener=open_file) as file, np.load(file, allow_pickle=False) as stored:
        text, X, checksum = stored["words"].tobytes(), stored["X"], stored["checksum"].tobytes()
    words = json.loads(text)
    if words["fingerprint"] != fingerprint:
        return None
    if checksum != _checksum(text, X):
        raise ValueError("the content does not agree with its checksum")
    queries = QueryFeatures(
        read_only(X), **{name: tuple(words[name]) for name in COLUMNS}, n_left_out=words["n_left_out"]
    )
    profiles = tuple(
        RankChart(feature, tuple((name, *map(np.array, curves), n) for name, *curves, n in kinds))
        for feature, kinds in words["profiles"]
    )
    absent = {need: tuple(names) for need, names in words["absent"].items()}
    return MadeFeatures(queries, profiles, absent, tuple(words["unusual"]))


def _add_file(digest: Any, path: Any) -> None:
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        raise DataError(
            f"The clicks of a study must be a QueryLog or a file written by clean_log: got {type(path).__name__} "
            f"{str(path)[:80]!r}. Make one: QueryLog.from_frame(table)."
        )
    with open(path, "rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())


def _add_table(digest: Any, table: ColumnTable) -> None:
    for name in (field.name for field in fields(table)):
        values = getattr(table, name)
        digest.update(name.encode())
        if values is None:
            continue
        if values.dtype == object:
            # Lengths come first, so that different columns cannot yield the same bytes.
            texts = ["\1" if text is None else text for text in values]
            digest.update(np.array([len(text) for text in texts], dtype=np.int64).tobytes())
            digest.update("".join(texts).encode("utf-8", "surrogatepass"))
        else:
            digest.update(np.ascontiguousarray(values).tobytes())
