"""study_distillation(): the paper's analysis of SVDD, and a comparison of methods on the same candidates."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, check_length, check_positive
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.wording import counted
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import searched_size
from glassrank.distillation.options import Options
from glassrank.files.atomic_files import write_atomically
from glassrank.studies.distillation.judge_results import judges_of, results_by_judge, topics_agreement
from glassrank.studies.distillation.list_measures import (
    compare_lists,
    judged_shares,
    precision_curves,
    relevant_pages,
)
from glassrank.studies.distillation.output_files import write_tables
from glassrank.studies.distillation.page import page
from glassrank.studies.distillation.result import (
    DistillationResult,
    MeasuredSet,
    PrunedPage,
    Refusal,
    SpherePoint,
    StepTimes,
)
from glassrank.studies.distillation.steps import (
    DEFAULT_SPHERE,
    KERNELS,
    METHODS,
    MethodRun,
    MethodRuns,
    RadiusSweep,
    SphereSetting,
    TopicSphere,
    methods_step,
    sphere_step,
)
from glassrank.studies.distillation.topics import Topic
from glassrank.studies.library_versions import library_versions
from glassrank.studies.resumable_steps import Steps, digest_of_values, fingerprint
from glassrank.studies.study_record import DISTILLATION, recorded

CANDIDATE_SETS = ("root", "base")
CURVE_DEPTH = 20
MIN_JUDGED_TOPICS = 2
Found = dict[tuple[str, str], MethodRuns]
"""Topic and candidate set → results of the methods."""


def study_distillation(
    collection: Collection,
    topics: Sequence[Topic],
    folder: str | Path = "distillation",
    *,
    k: int = 10,
    relevant: float = 1.0,
    options: dict[str, Any] | None = None,
    random_state: int = 0,
    title: str | None = None,
    command: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> DistillationResult:
    """Analyse the sphere over C, p and the text weight, compare all methods, and write a report into ``folder``.

    Every method ranks the same candidates, once the root set and once the base set. If topics have judgements,
    precision at k, relative recall and NDCG are compared by paired randomisation tests over topics. A page is relevant
    if its label is at least ``relevant``. ``options`` are the options of ``gr.distill`` for candidates and links, such
    as ``root_size`` and ``site``. Finished topics are stored in ``folder/steps``, so an interrupted study resumes where
    it stopped. A finished study of another collection or other queries in ``folder`` is an error, unless ``overwrite``
    is set. The folder receives ``report.html``, ``result.json`` and one CSV per table.

    Source: V. Vijaya Saradhi, H. Karnick and P. Mitra, Topic Distillation using SVDD (2008), "SVDD Analysis" and
    "Precision and Relative Recall".

    >>> from glassrank.studies.distillation.simulated_topics import simulate_topics
    >>> web, topics = simulate_topics(n_topics=2, n_hosts=20, n_pages=120, random_state=0)
    >>> result = study_distillation(web.collection, topics, "study", options={"root_size": 12})
    >>> result.title
    'Topic distillation: 2 topics'
    """
    topics = _checked(collection, topics)
    say = counted_steps(progress, total=3 * len(topics) + 2)
    check_positive("k", k, whole=True)
    folder, given = Path(folder), {**(options or {}), "random_state": random_state, "k": k}
    _check_options(given)
    settings = Options(**given)
    sweep = RadiusSweep.of_root(searched_size(collection, settings))
    what = {
        "options": given,
        "lists": "filled",
        "methods": METHODS,
        "sweep": sweep.settings,
        "collection": _digest(collection),
    }
    studied = digest_of_values([what["collection"], [topic.query for topic in topics]])
    with recorded(folder, title=title, command=command, kind=DISTILLATION, data=studied, overwrite=overwrite):
        steps = Steps(folder / "steps", fingerprint(what), say)
        found, spheres = _run_steps(collection, topics, sweep, settings, steps)
        say("Comparing the methods")
        measured, notes = _measured(found, topics, k, relevant, random_state)
        result = DistillationResult(
            title=title or f"Topic distillation: {counted(len(topics), 'topic')}",
            facts=_facts(collection, topics, settings, sweep, k, relevant),
            k=k,
            topics={topic.name: topic.query for topic in topics},
            default=sweep.default,
            sphere=tuple(_sphere_points(spheres, topics, k, relevant)),
            pruned=tuple(_pruned_pages(collection, topics, found)),
            times=tuple(_times(found)),
            measured=measured,
            refusals=tuple(_refusals(found)),
            notes=(*notes, *_method_notes(found)),
            commands=(command,) if command else (),
            versions=library_versions("numpy"),
            folder=folder,
            agreement=topics_agreement(topics),
        )
        say("Writing the report")
        write_tables(result, folder)
        write_atomically(folder / "report.html", page(result).encode())
        return result


def _checked(collection: Collection, topics: Sequence[Topic]) -> tuple[Topic, ...]:
    if not topics:
        raise DataError(
            "A study of distillation needs at least one topic: got none.", remedy="List queries, one per line."
        )
    names = [topic.name for topic in topics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"Topic names must be unique: {twice!r} appears twice.", remedy="Rename one.")
    for topic in topics:
        if topic.judgements is not None:
            check_length(f"judgements of {topic.name!r}", topic.judgements, len(collection.pages), per="page")
        for judge, labels in (topic.by_judge or {}).items():
            check_length(f"judgements of {topic.name!r} by {judge!r}", labels, len(collection.pages), per="page")
    return tuple(topics)


def _run_steps(
    collection: Collection, topics: tuple[Topic, ...], sweep: RadiusSweep, settings: Options, steps: Steps
) -> tuple[Found, dict[str, list[TopicSphere]]]:
    """Run every method and setting on every topic."""
    found: Found = {}
    spheres: dict[str, list[TopicSphere]] = {}
    for number, topic in enumerate(topics, start=1):
        label = f"Topic {topic.query}"
        # The step name contains a digest of the query, so that a changed query is a new step.
        key = f"{number:04}-{hashlib.sha256(topic.query.encode()).hexdigest()[:12]}"
        for candidates in CANDIDATE_SETS:
            compute = partial(methods_step, collection, topic.query, replace(settings, candidates=candidates))
            found[topic.name, candidates] = steps.run(
                f"{key}-{candidates}", compute, _plain_runs, _runs_of, label=f"{label}, {candidates} set"
            )
        if found[topic.name, "root"]["bm25"].refused is None:
            sweep_topic = partial(sphere_step, collection, topic.query, sweep, replace(settings, candidates="root"))
            spheres[topic.name] = steps.run(
                f"{key}-sphere", sweep_topic, _plain_spheres, _spheres_of, label=f"{label}, spheres"
            )
    return found, spheres


def _plain_runs(runs: MethodRuns) -> dict[str, Any]:
    return {method: asdict(one) for method, one in runs.items()}


def _runs_of(plain: dict[str, Any]) -> MethodRuns:
    return {method: MethodRun.from_dict(one) for method, one in plain.items()}


def _plain_spheres(spheres: list[TopicSphere]) -> list[dict[str, Any]]:
    return [asdict(one) for one in spheres]


def _spheres_of(plain: list[dict[str, Any]]) -> list[TopicSphere]:
    return [TopicSphere(**one | {"ranking": tuple(one["ranking"])}) for one in plain]


def _measured(
    found: Found, topics: tuple[Topic, ...], k: int, relevant: float, seed: int
) -> tuple[tuple[MeasuredSet, ...], tuple[str, ...]]:
    judged = [topic for topic in topics if topic.judgements is not None]
    wanted = sum(relevant_pages(topic, relevant) is not None for topic in judged)
    if wanted < MIN_JUDGED_TOPICS:
        what = "judgements" if len(judged) < MIN_JUDGED_TOPICS else f"a page with a label of {relevant:g} or more"
        return (), (f"{counted(wanted, 'topic has', 'topics have')} {what}: precision needs at least 2.",)
    return tuple(_measured_set(found, judged, one, k, relevant, seed) for one in CANDIDATE_SETS), ()


def _measured_set(
    found: Found, judged: list[Topic], candidates: str, k: int, relevant: float, seed: int
) -> MeasuredSet:
    lists = [{name: one.ranking for name, one in found[topic.name, candidates].items()} for topic in judged]
    labels = [np.asarray(topic.judgements) for topic in judged]
    sizes = [found[topic.name, candidates]["bm25"].n_pages for topic in judged]
    return MeasuredSet(
        candidates=candidates,
        n_pages=float(np.mean(sizes)),
        comparisons=compare_lists(lists, labels, k, relevant, seed),
        curves=precision_curves(lists, labels, CURVE_DEPTH, relevant),
        judged=judged_shares(lists, labels, k),
        by_judge=results_by_judge(judged, lists, k, relevant, seed),
    )


def _sphere_points(
    spheres: dict[str, list[TopicSphere]], topics: tuple[Topic, ...], k: int, relevant: float
) -> list[SpherePoint]:
    """Mean over topics at each setting."""
    wanted = {topic.name: relevant_pages(topic, relevant) for topic in topics}
    grouped: dict[SphereSetting, list[tuple[TopicSphere, float | None]]] = {}
    for name, ones in spheres.items():
        for one in ones:
            pages = wanted[name]
            precision = None if pages is None else len(pages.intersection(one.ranking)) / k
            grouped.setdefault(one.setting, []).append((one, precision))
    order = {kernel: place for place, kernel in enumerate(KERNELS)}
    settings = sorted(grouped, key=lambda setting: (order[setting.kernel], setting[1:]))
    return [_sphere_point(setting, grouped[setting]) for setting in settings]


def _sphere_point(setting: SphereSetting, found: list[tuple[TopicSphere, float | None]]) -> SpherePoint:
    ones = [one for one, _ in found]
    names = ("train_size", "radius", "kept", "kept_trained", "kept_unseen", "overlap", "overlap_top", "tau", "seconds")
    known = {name: [value for one in ones if (value := getattr(one, name)) is not None] for name in names}
    known["precision"] = [precision for _, precision in found if precision is not None]
    means = {name: float(np.mean(values)) if values else None for name, values in known.items()}
    low, high = np.quantile(known["radius"], [0.25, 0.75]).tolist()
    return SpherePoint(
        *setting,
        n_topics=len(ones),
        radius_range=(low, high),
        **means,  # type: ignore[arg-type]
    )


def _pruned_pages(collection: Collection, topics: tuple[Topic, ...], found: Found) -> list[PrunedPage]:
    """The farthest page of every topic first, then the second farthest, and so on."""
    pages = collection.pages
    rows = [
        (place, topic, one)
        for topic in topics
        for place, one in enumerate(found[topic.name, "root"][DEFAULT_SPHERE].pruned)
    ]
    rows.sort(key=lambda row: row[0])
    return [
        PrunedPage(
            topic=topic.name,
            query=topic.query,
            title=pages.title[one.page],
            url=pages.url[one.page],
            distance=one.distance,
            radius=one.radius,
            search_rank=one.search_rank,
            label=_label(topic, one.page),
        )
        for _, topic, one in rows
    ]


def _label(topic: Topic, page: int) -> float | None:
    if topic.judgements is None or np.isnan(topic.judgements[page]):
        return None
    return float(topic.judgements[page])


def _times(found: Found) -> list[StepTimes]:
    made = []
    for candidates in CANDIDATE_SETS:
        for method in METHODS:
            runs = [
                seconds
                for (_, which), one in found.items()
                if which == candidates and (seconds := one[method].seconds) is not None
            ]
            steps = dict.fromkeys(step for run in runs for step in run)
            if runs:
                medians = {step: float(np.median([run.get(step, 0.0) for run in runs])) for step in steps}
                made.append(StepTimes(candidates, method, medians))
    return made


def _refusals(found: Found) -> list[Refusal]:
    return [
        Refusal(topic, candidates, method, reason, searched=one.refused is None)
        for (topic, candidates), methods in found.items()
        for method, one in methods.items()
        if (reason := one.refused or one.unlinked) is not None
    ]


def _method_notes(found: Found) -> list[str]:
    """Notes of the distiller; notes that differ only in their numbers appear once, with the number of topics."""
    grouped: dict[str, tuple[str, set[str]]] = {}
    for (topic, _), methods in found.items():
        for note in (note for one in methods.values() for note in one.notes):
            grouped.setdefault(re.sub(r"\d[\d,.]*", "0", note), (note, set()))[1].add(topic)
    total = len({topic for topic, _ in found})
    return [
        note if len(names) == total else f"{note} (This or similar: {len(names):,} of {total:,} topics.)"
        for note, names in grouped.values()
    ]


def _facts(
    collection: Collection, topics: tuple[Topic, ...], settings: Options, sweep: RadiusSweep, k: int, relevant: float
) -> dict[str, str]:
    ends = collection.link_ends
    inside = len(np.unique(ends[(ends >= 0).all(axis=1)], axis=0))
    judged = sum(topic.judgements is not None for topic in topics)
    judges = {"Judges": ", ".join(names)} if (names := judges_of(topics)) else {}
    kernel, share, price, weight = sweep.default
    return {
        "Collection": f"{len(collection.pages):,} pages, {inside:,} linked pairs",
        "Topics": f"{len(topics):,}, {judged:,} judged; relevant from label {relevant:g}",
        **judges,
        "Links that count": f"{settings.edges}, site = {settings.site}",
        "Sphere": f"{kernel} kernel, p = {share:g} |R|, C = {price:g} (ν = {settings.nu:g}), μ = {weight:g}",
        "Measured at": f"k = {k}",
    }


def _check_options(given: dict[str, Any]) -> None:
    """Refuse options that the study varies itself: the sphere's settings and the candidate set."""
    known = ("root_size", "in_links", "site", "edges", "language", "k", "random_state")
    for name in given:
        if name not in known:
            raise DataError(f"A study has no option {name!r}: its options are {', '.join(known[:5])}.")


def _digest(collection: Collection) -> str:
    """A digest of addresses, titles, texts, sites and links."""
    digest = hashlib.sha256()
    pages = collection.pages
    for column in (pages.url, pages.title, pages.text, () if pages.site is None else pages.site):
        for text in column:
            digest.update(text.encode(errors="replace") + b"\0")
    digest.update(np.ascontiguousarray(collection.link_ends).tobytes())
    return digest.hexdigest()
