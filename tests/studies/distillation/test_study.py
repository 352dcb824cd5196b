"""study_distillation(): what it measures, that methods share candidates, and that an interruption loses nothing."""

import csv
import json
import shutil
from inspect import signature
from math import log2

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection, Links, Pages
from glassrank.distillation.compare_distillers import compare_distillers
from glassrank.distillation.distill import distill
from glassrank.distillation.options import Options
from glassrank.studies.distillation.list_measures import topic_values
from glassrank.studies.distillation.simulated_topics import simulate_topics
from glassrank.studies.distillation.steps import DEFAULT_LIST, DEFAULT_SPHERE, KERNELS, METHODS, RadiusSweep
from glassrank.studies.distillation.study import study_distillation
from glassrank.studies.distillation.topics import Topic

K = 5
OPTIONS = {"root_size": 40, "in_links": 4}


@pytest.fixture(scope="module")
def web():
    return simulate_topics(4, 40, 600, random_state=0)


@pytest.fixture(scope="module")
def made(web, tmp_path_factory):
    simulated, topics = web
    folder = tmp_path_factory.mktemp("made")
    return study_distillation(simulated.collection, topics, folder, k=K, relevant=2, options=OPTIONS)


def kept_lists(folder, candidates):
    """Topic number → method → pages, from the finished steps."""
    paths = sorted((folder / "steps").glob(f"*-{candidates}.json"))
    steps = [json.loads(path.read_text())["result"] for path in paths]
    return [{method: one["ranking"] for method, one in step.items()} for step in steps]


@pytest.mark.parametrize("candidates", ["root", "base"])
def test_precision_counts_the_best_pages_among_the_first_k(made, web, candidates):
    _, topics = web
    lists = kept_lists(made.folder, candidates)
    measured = next(one for one in made.measured if one.candidates == candidates)
    assert measured.comparisons[0].measure == f"p@{K}"
    for system in measured.comparisons[0].systems:
        shares = [
            sum(topic.judgements[page] == 2 for page in one[system.name][:K]) / K
            for topic, one in zip(topics, lists, strict=True)
        ]
        assert system.mean == pytest.approx(np.mean(shares))


def test_relative_recall_divides_by_what_all_methods_found_together(made, web):
    _, topics = web
    lists = kept_lists(made.folder, "root")
    recalls = {method: [] for method in METHODS}
    for topic, one in zip(topics, lists, strict=True):
        found = {method: {p for p in pages[:K] if topic.judgements[p] == 2} for method, pages in one.items()}
        pool = set().union(*found.values())
        for method, pages in found.items():
            recalls[method] += [len(pages) / len(pool)] if pool else []
    compared = next(one for one in made.measured[0].comparisons if one.measure == f"relative recall@{K}")
    for method, values in recalls.items():
        assert compared[method].mean == pytest.approx(np.mean(values))
        assert compared.n_queries + compared.left_out == len(topics)
        assert compared.n_queries == len(values)


def test_ndcg_takes_the_labels_of_all_judged_pages_for_the_ideal_list():
    labels = np.array([2.0, 1.0, 0.0, 2.0, np.nan])
    found = topic_values({"one": [1, 4, 3]}, labels, k=3, relevant=2)
    ideal = 3 / log2(2) + 3 / log2(3) + 1 / log2(4)
    assert found["ndcg@3"]["one"] == pytest.approx((1 / log2(2) + 3 / log2(4)) / ideal)


def test_a_topic_without_a_relevant_page_is_left_out():
    found = topic_values({"one": [0], "two": [1]}, np.array([1.0, 0.0]), k=1, relevant=2)
    assert np.isnan([found["p@1"]["one"], found["relative recall@1"]["two"]]).all()


@pytest.mark.parametrize("candidates", ["root", "base"])
def test_every_method_ranks_the_same_candidates(made, web, candidates):
    simulated, topics = web
    for topic, one in zip(topics, kept_lists(made.folder, candidates), strict=True):
        competing = set(
            distill(simulated.collection, topic.query, "bm25", candidates=candidates, random_state=0, **OPTIONS).pages
        )
        assert all(set(pages) <= competing for pages in one.values())
        assert len({tuple(sorted(pages)) for pages in (one["hits"], one["in-degree"], one["pagerank"])}) == 1 or (
            candidates == "base"  # lists of a base set are cut off
        )


def test_pruned_pages_are_in_no_list(made, web):
    simulated, topics = web
    for topic, one in zip(topics, kept_lists(made.folder, "root"), strict=True):
        found = distill(simulated.collection, topic.query, "svdd", **OPTIONS)
        assert set(one[DEFAULT_SPHERE]) == set(found.pages[~found.pruned].tolist())


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_sweep_and_the_distiller_find_the_same_sphere(made, web, kernel):
    simulated, topics = web
    point = next(one for one in made.sphere if one.setting == (kernel, 0.75, 1.0, 0.5))
    given = {"C": 1.0, "train_size": 30, "text_weight": 0.5, "k": K, **KERNELS[kernel], **OPTIONS}
    found = [distill(simulated.collection, topic.query, "svdd", **given) for topic in topics]
    assert point.train_size == 30
    assert point.radius == pytest.approx(np.mean([one.judgement.radius for one in found]))
    assert point.kept == pytest.approx(np.mean([one.judgement.accepted.mean() for one in found]))
    assert point.kept_unseen == pytest.approx(np.mean([one.judgement.accepted_unseen for one in found]))
    hits = [
        sum(topic.judgements[row] == 2 for row in one.pages[one.ranking[~one.pruned[one.ranking]][:K]]) / K
        for topic, one in zip(topics, found, strict=True)
    ]
    assert point.precision == pytest.approx(np.mean(hits))


def test_overlap_with_the_top_of_the_search_counts_shared_authorities(made, web):
    simulated, topics = web
    point = next(one for one in made.sphere if one.setting == ("raw", 0.75, 1.0, 0.5))
    shares = []
    for topic in topics:
        given = {"k": K, "train_size": 30, "C": 1.0, "kernel": "raw", **OPTIONS}
        compared = compare_distillers(simulated.collection, topic.query, ["svdd", "hits-top"], **given)
        own, top = (set(compared.top(method)) for method in ("svdd", "hits-top"))
        shares.append(len(own & top) / max(len(own), len(top)))
    assert point.overlap_top == pytest.approx(np.mean(shares))


def test_the_kernels_are_compared_at_the_default_setting(made):
    assert [one.kernel for one in made.kernels()] == list(KERNELS)
    assert {one.setting[1:] for one in made.kernels()} == {made.default[1:]}


def test_overlap_with_hits_counts_shared_authorities(made, web):
    simulated, topics = web
    point = next(one for one in made.sphere if one.setting == ("unit", 0.5, 1.0, 1.0))
    shares = []
    for topic in topics:
        own, hits = (
            [
                page.page
                for page in distill(simulated.collection, topic.query, method, k=K, widen=False, **options).authorities
                if not page.filled
            ]
            for method, options in (
                ("svdd", {"C": 1.0, "train_size": 20, "text_weight": 1.0, "kernel": "unit", **OPTIONS}),
                ("hits", OPTIONS),
            )
        )
        shares.append(len(set(own) & set(hits)) / max(len(own), len(hits)))
    assert point.overlap == pytest.approx(np.mean(shares))


def test_there_is_no_sphere_for_c_below_one_over_p(made):
    assert all(one.C * one.train_size >= 1.0 for one in made.sphere)
    assert min(one.C for one in made.sphere if one.share == 1.0) == pytest.approx(1 / 40, rel=1e-2)


def test_the_defaults_of_the_distiller_are_among_the_compared_methods():
    usual = signature(distill).parameters["method"].default
    assert METHODS[DEFAULT_LIST] == {"method": usual, "threshold": Options().threshold}
    assert METHODS[DEFAULT_SPHERE] == {"method": "svdd", "kernel": Options().kernel}


def test_the_sweep_includes_the_compared_sphere():
    for root_size in (20, 50, 200):
        sweep = RadiusSweep.of_root(root_size)
        assert sweep.default in sweep.settings
        assert len(set(sweep.settings)) == len(sweep.settings)


def test_pruned_pages_come_with_distance_radius_and_judgement(made, web):
    simulated, topics = web
    assert made.pruned
    for page in made.pruned:
        topic = next(one for one in topics if one.name == page.topic)
        row = simulated.collection.pages.url.tolist().index(page.url)
        assert page.distance > page.radius
        assert page.label == topic.judgements[row]
        found = distill(simulated.collection, topic.query, "svdd", **OPTIONS)
        assert found.pages[page.search_rank - 1] == row


def test_an_interrupted_study_resumes_with_the_same_result(made, web, tmp_path):
    simulated, topics = web

    def stop(done, total, what):
        assert total == 3 * len(topics) + 2
        if done == 6:
            raise KeyboardInterrupt

    arguments = {"k": K, "relevant": 2, "options": OPTIONS}
    with pytest.raises(KeyboardInterrupt):
        study_distillation(simulated.collection, topics, tmp_path, progress=stop, **arguments)
    finished = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "steps").iterdir()}
    assert len(finished) == 6
    again = study_distillation(simulated.collection, topics, tmp_path, **arguments)
    assert all((tmp_path / "steps" / name).stat().st_mtime_ns == time for name, time in finished.items())
    assert again.measured == made.measured
    assert [(one.radius, one.kept, one.tau) for one in again.sphere] == [
        (one.radius, one.kept, one.tau) for one in made.sphere
    ]


def test_a_study_that_only_reads_its_steps_equals_the_one_that_computed_them(made, web, tmp_path):
    simulated, topics = web
    shutil.copytree(made.folder / "steps", tmp_path / "steps")
    said = []
    again = study_distillation(
        simulated.collection,
        topics,
        tmp_path,
        k=K,
        relevant=2,
        options=OPTIONS,
        progress=lambda *step: said.append(step[-1]),
    )
    assert again.to_dict() | {"folder": None} == made.to_dict() | {"folder": None}
    assert sum(step.endswith(": reused from an earlier run.") for step in said) == 3 * len(topics)


def test_a_damaged_step_is_reported_and_computed_again(made, web, tmp_path):
    simulated, topics = web
    shutil.copytree(made.folder / "steps", tmp_path / "steps")
    damaged = sorted((tmp_path / "steps").iterdir())[0]
    damaged.write_bytes(damaged.read_bytes()[:-20])
    said = []
    again = study_distillation(
        simulated.collection,
        topics,
        tmp_path,
        k=K,
        relevant=2,
        options=OPTIONS,
        progress=lambda *step: said.append(step[-1]),
    )
    assert f"{damaged} is damaged: its step is computed again." in said
    assert again.measured == made.measured


def test_other_options_start_from_scratch(made, web, tmp_path):
    simulated, topics = web
    first = study_distillation(simulated.collection, topics[:2], tmp_path, k=K, options=OPTIONS)
    second = study_distillation(simulated.collection, topics[:2], tmp_path, k=K, options={**OPTIONS, "root_size": 12})
    assert first.measured[0].n_pages == 40
    assert second.measured[0].n_pages == 12


def test_without_judgements_the_sphere_is_still_analysed(web, tmp_path):
    simulated, topics = web
    bare = [Topic(one.name, one.query) for one in topics[:2]]
    found = study_distillation(simulated.collection, bare, tmp_path, k=K, options=OPTIONS)
    assert found.measured == ()
    assert found.sphere
    assert "0 topics have judgements: precision needs at least 2." in found.notes
    assert "Which method finds" not in (tmp_path / "report.html").read_text()


def test_judgements_without_a_relevant_page_are_a_note_instead_of_an_error(web, tmp_path):
    simulated, topics = web
    modest = [Topic(one.name, one.query, np.minimum(one.judgements, 1.0)) for one in topics[:2]]
    found = study_distillation(simulated.collection, modest, tmp_path, k=K, relevant=2, options=OPTIONS)
    assert found.measured == ()
    assert "0 topics have a page with a label of 2 or more: precision needs at least 2." in found.notes
    assert all(one.precision is None for one in found.sphere)


def test_a_query_without_results_is_an_empty_list_and_is_reported(web, tmp_path):
    simulated, topics = web
    lost = Topic("lost", "qqqqzzzz", topics[0].judgements)
    found = study_distillation(simulated.collection, [*topics[:2], lost], tmp_path, k=K, relevant=2, options=OPTIONS)
    assert {one.topic for one in found.refusals if one.method == "bm25"} == {"lost"}
    assert found.measured[0].comparisons[0].n_queries == 3
    assert "No list from bm25, root set: 1 of 3 topics, for example lost" in str(found)


def test_topics_without_links_are_listed_in_search_order_and_counted(made):
    """Spheres that have not seen them reject nearly all pages of a unit kernel."""
    unlinked = [one for one in made.grouped_refusals() if one.searched]
    assert {one.method for one in unlinked} == {"svdd unit cross-fit"}
    assert f"Search order for svdd unit cross-fit, root set: {unlinked[0].n_topics} of " in str(made)
    assert "Topics that a method cannot rank" in (made.folder / "report.html").read_text()


def test_the_folder_contains_the_tables_of_the_result(made):
    names = {"report.html", "result.json", "systems.csv", "sphere.csv", "pruned.csv", "times.csv", "steps"} | {
        "study.json"
    }
    assert {path.name for path in made.folder.iterdir()} == names
    with (made.folder / "sphere.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["radius"]) for row in rows] == [one.radius for one in made.sphere]
    assert json.loads((made.folder / "result.json").read_text()) == json.loads(made.to_json())


def test_the_result_prints_its_tables_and_says_that_four_topics_show_nothing(made):
    said = str(made)
    assert f"On the root set, bm25 reaches P@{K} " in said
    assert f"relative recall@{K}, convention standard, " in said
    assert "With 4 topics, no difference can be shown: judge more topics." in said
    assert "CPU milliseconds per topic, medians" in said


@pytest.mark.parametrize(("part", "rows"), [("systems", 2 * 6 * len(METHODS)), ("sphere", None), ("times", None)])
def test_every_part_converts_to_a_table(made, part, rows):
    frame = made.to_frame(part, "pandas")
    assert len(frame) == (len(getattr(made, part)) if part == "sphere" else rows or len(made.time_rows()))


def test_an_unknown_part_is_refused(made):
    with pytest.raises(
        DataError, match="part must be one of 'systems', 'judges', 'sphere', 'pruned', 'times': got 'all'"
    ):
        made.to_frame("all")


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([], "at least one topic"),
        ([Topic("a", "zen"), Topic("a", "cars")], "'a' appears twice"),
        ([Topic("a", "zen", [1.0])], "judgements of 'a' must have one entry per page: expected 2, got 1"),
    ],
    ids=["none", "twice", "judgements"],
)
def test_topics_that_cannot_be_studied_are_refused(topics, said, tmp_path):
    pages = Pages(url=["a", "b"], title=["zen", "zen"], text=["", ""])
    web = Collection(pages, Links(source=["a"], target=["b"], anchor=[""]))
    with pytest.raises(DataError, match=said):
        study_distillation(web, topics, tmp_path)
