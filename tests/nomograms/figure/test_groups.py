"""Groups of features: one row with the sum of its members, which replaces them."""

import numpy as np
import pytest

from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.theme import LIGHT
from glassrank.nomograms.figure.lines import GROUP
from glassrank.nomograms.figure.model_nomogram import model_nomogram
from glassrank.nomograms.figure.nomogram import nomogram
from tests.drawing.svg import says
from tests.nomograms.figure.examples import model_of, random_data, random_weights

WEIGHTS = random_weights(30)
MEMBERS = (3, 7, 12, 20)


def grouped_picture(document=0, against=1, **options):
    groups = (FeatureGroup("Text match", MEMBERS), FeatureGroup("Prices", (1, 2)))
    options = {"groups": groups, "rows": 8, **options}
    return nomogram(model_of(WEIGHTS), random_data(30), query="q0", document=document, against=against, **options)


def contributions():
    data = random_data(30)
    return WEIGHTS * (data.X[0] - data.X[1])


def test_a_group_adds_the_sum_of_its_members_and_replaces_them():
    picture, own = grouped_picture(rows=30), contributions()
    amounts = {row.name: row.contribution for row in picture.layout.rows}
    assert amounts["Text match"] == pytest.approx(own[list(MEMBERS)].sum())
    assert not {f"feature {k + 1}" for k in (*MEMBERS, 1, 2)} & set(amounts)
    assert sum(amounts.values()) == pytest.approx(own.sum())
    assert picture.overlay.total == pytest.approx(own.sum())


def test_groups_are_sorted_by_their_sums_among_the_features():
    own = contributions()
    sums = [own[list(MEMBERS)].sum(), own[[1, 2]].sum()]
    alone = [k for k in range(30) if k not in (*MEMBERS, 1, 2)]
    size = {**{k: abs(own[k]) for k in alone}, 30: abs(sums[0]), 31: abs(sums[1])}
    expected = sorted(size, key=lambda k: -size[k])[:8]
    assert list(grouped_picture().layout.arrangement.shown) == expected


def test_the_rest_counts_the_members_of_its_groups():
    layout = grouped_picture(rows=1).layout
    members = sum(len(layout.lines[k].members) or 1 for k in layout.rest.columns)
    assert layout.rest.label == f"the rest, {members} features"


def test_ticks_of_a_group_are_shares_of_documents_with_a_lower_sum():
    picture, data = grouped_picture(rows=30), random_data(30)
    row = next(row for row in picture.layout.rows if row.name == "Text match")
    centres = np.array([feature.centre for feature in picture.effects.features])
    sums = (data.X - centres)[:, list(MEMBERS)] @ WEIGHTS[list(MEMBERS)]
    for value, label in row.line.marks:
        share = float(label.removesuffix(" %")) / 100
        assert value == pytest.approx(np.quantile(sums, share))
    ends = np.quantile(sums, [0.005, 0.995])
    documents = sums[:2]
    assert row.line.lowest == pytest.approx(min(ends[0], documents.min()))
    assert row.line.lowest + row.line.range == pytest.approx(max(ends[1], documents.max()))


def test_a_still_picture_shows_members_only_if_asked(tmp_path):
    closed, opened = grouped_picture(rows=30), grouped_picture(rows=30, open_groups=True)
    sentence = "Inside: signs are not meaningful on their own; trust the sum."
    for picture, shown in ((closed, False), (opened, True)):
        words = says(picture.save(tmp_path / "why.svg").read_text())
        assert (sentence in words) == shown
        assert ("feature 8" in words) == shown
        assert "4 that move together" in words
        assert "no single value" in words
    assert [bar.contribution for bar in opened.layout.bars] == [bar.contribution for bar in closed.layout.bars]
    assert str(opened) == str(closed)


def test_members_follow_their_group_by_size():
    own = contributions()
    places = grouped_picture(rows=30, open_groups=True).layout.arrangement.places
    start = next(n for n, place in enumerate(places) if place.k == 30)
    members = [place.k for place in places[start + 1 : start + 5]]
    assert members == sorted(MEMBERS, key=lambda k: -abs(own[k]))
    assert [place.number for place in places[start + 1 : start + 5]] == [None] * 4


def test_a_model_alone_has_the_lengths_of_sums(tmp_path):
    data = random_data(30)
    picture = model_nomogram(model_of(WEIGHTS), data, groups=(FeatureGroup("Text match", MEMBERS),), open_groups=True)
    sums = data.X[:, list(MEMBERS)] @ WEIGHTS[list(MEMBERS)]
    spread = [np.ptp(sums[data.qid == query]) for query in np.unique(data.qid)]
    assert picture.lengths[30] == pytest.approx(np.mean(spread))
    assert picture.layout.lines[30].kind == GROUP
    picture.save(tmp_path / "model.svg")


def test_every_pair_has_labels_also_with_a_document_beyond_the_end_of_a_line():
    """A group's line ends at the 99.5 % quantile of its sums, so that an outlier makes all lines shorter."""
    data = random_data(30)
    X = np.array(data.X)
    X[2, list(MEMBERS)] = 40.0 * np.sign(WEIGHTS[list(MEMBERS)])
    data = RankingData(X, data.y, data.qid, data.doc_ids, data.feature_names)
    groups = (FeatureGroup("Text match", MEMBERS),)
    picture = nomogram(model_of(WEIGHTS), data, query="q0", document=0, against=1, groups=groups, rows=8)
    pairs = picture.pairs_to_show(data, query="q0", pairs=[(0, 1), (2, 1)])
    shorter = [pair["scale"]["stretch"] for pair in pairs]
    assert shorter[1] < 0.5 * shorter[0]
    (ticks,) = [
        one["values"] for one in picture.drawing.specification(LIGHT, live=True)["data"] if one["name"] == "ticks"
    ]
    for pair in pairs:
        level = pair["scale"]["level"]
        labelled = {tick["k"] for tick in ticks if tick["label"] and tick["low"] <= level <= tick["high"]}
        assert {row[0] for row in pair["rows"]} <= labelled
