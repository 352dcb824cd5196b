"""Ratings as ranking data: one query per user, features from items or from reference users, and what is left out."""

import numpy as np
import polars
import pytest

import glassrank as gr
from glassrank.core.checks import DataError

ROWS = [
    ("ann", "a", 5.0),
    ("ann", "b", -1.5),
    ("ann", "c", 3.0),
    ("bob", "b", 2.0),
    ("bob", "a", 4.0),
    ("cat", "a", 1.0),
    ("cat", "c", 3.0),
    ("cat", "d", 3.0),
    ("dan", "a", 2.0),
    ("dan", "b", 2.0),
    ("eve", "a", 4.0),
]


def frame_of(rows, **more):
    columns = zip(("user", "item", "rating"), zip(*rows, strict=True), strict=True)
    return polars.DataFrame(dict(columns) | more)


def items_frame():
    return polars.DataFrame(
        {
            "item": ["c", "a", "b", "never rated"],
            "price": [3.0, None, 1.5, 9.0],
            "genre": ["pun", "pun", "story", "story"],
            "new": [True, False, None, True],
        }
    )


def test_a_query_is_a_user_and_features_are_the_columns_of_the_items():
    tasks = gr.load_ratings(frame_of(ROWS), items_frame())
    data = tasks.data
    assert data.qid.tolist() == ["ann", "ann", "ann", "bob", "bob", "cat", "cat"]
    assert data.doc_ids.tolist() == ["a", "b", "c", "b", "a", "a", "c"]
    assert data.y.tolist() == [5.0, -1.5, 3.0, 2.0, 4.0, 1.0, 3.0]
    assert data.feature_names == ("price", "genre", "new")
    assert [kind.name for kind in data.kinds] == ["number", "category", "boolean"]
    np.testing.assert_array_equal(data.X[:3], [[np.nan, 0, 0], [1.5, 1, np.nan], [3, 0, 1]])
    assert tasks.reference_users == ()


def test_users_without_two_different_ratings_and_items_without_features_are_counted():
    left_out = gr.load_ratings(frame_of(ROWS), items_frame()).left_out
    assert left_out == {
        "with fewer than 2 ratings": ("user", 1, 1),  # eve
        "with fewer than 2 different ratings": ("user", 1, 2),  # dan
        "without features": ("item", 1, 1),  # d
    }


def test_an_item_without_features_may_leave_a_user_with_one_rating():
    rows = [*ROWS, ("fay", "a", 1.0), ("fay", "d", 2.0)]
    tasks = gr.load_ratings(frame_of(rows), items_frame())
    assert tasks.left_out["with fewer than 2 different ratings of items with features"] == ("user", 1, 1)
    assert "fay" not in tasks.data.qid


def test_ratings_of_reference_users_are_features_and_gaps_are_their_medians():
    tasks = gr.load_ratings(frame_of(ROWS), reference_users=["cat", "ann"])
    assert tasks.data.feature_names == ("user cat", "user ann")
    # cat has not rated b: the median of 1, 3 and 3. ann has not rated d: the median of 5, -1.5 and 3.
    assert tasks.items.doc_ids.tolist() == ["a", "b", "c", "d"]
    assert tasks.items.X.tolist() == [[1, 5], [3, -1.5], [3, 3], [3, 3]]
    assert set(tasks.data.qid) == {"bob"}
    assert (tasks.data.X.tolist(), tasks.data.y.tolist()) == ([[3, -1.5], [1, 5]], [2, 4])


def test_missing_reference_ratings_can_be_kept_as_missing_values():
    tasks = gr.load_ratings(frame_of(ROWS), reference_users=["cat"], fill="keep")
    assert np.isnan(tasks.data.X[tasks.data.doc_ids == "a"]).sum() == 0
    assert "rated by no reference user" in tasks.left_out  # b
    assert "b" not in tasks.data.doc_ids


def test_drawn_reference_users_are_never_tasks_and_depend_on_the_seed_alone():
    rng = np.random.default_rng(0)
    rows = [(f"u{u}", f"i{i}", float(rng.normal())) for u in range(12) for i in range(5)]
    drawn = [gr.load_ratings(frame_of(rows), reference_users=4, random_state=seed) for seed in (1, 1, 2)]
    assert drawn[0].reference_users == drawn[1].reference_users != drawn[2].reference_users
    for tasks in drawn:
        assert len(tasks.reference_users) == 4
        assert set(tasks.reference_users) | set(tasks.data.qid) == {f"u{u}" for u in range(12)}
        assert not set(tasks.reference_users) & set(tasks.data.qid)
    shuffled = [rows[k] for k in rng.permutation(len(rows))]
    again = gr.load_ratings(frame_of(shuffled), reference_users=4, random_state=1)
    assert again.reference_users == drawn[0].reference_users


def test_unrated_items_have_the_same_features_and_no_labels():
    tasks = gr.load_ratings(frame_of(ROWS), items_frame())
    new = tasks.unrated(["bob"])
    assert not new.is_judged
    assert (new.doc_ids.tolist(), set(new.qid)) == (["c", "never rated"], {"bob"})
    np.testing.assert_array_equal(new.X, tasks.items.X[[0, 3]])
    assert set(tasks.unrated().qid) == {"ann", "bob", "cat"}


def test_limits_apply_to_users_and_selected_users_remain():
    tasks = gr.load_ratings(frame_of(ROWS), items_frame(), min_ratings=3, users=["ann"])
    assert set(tasks.data.qid) == {"ann"}
    assert tasks.left_out["with fewer than 3 ratings"] == ("user", 3, 5)  # bob, dan and eve
    assert "left out 3 users with fewer than 3 ratings: 5 ratings" in str(tasks)


def test_weights_are_read_from_their_column():
    weights = np.arange(1.0, len(ROWS) + 1)
    usual = gr.load_ratings(frame_of(ROWS, weight=weights), items_frame()).data.weights
    named = gr.load_ratings(frame_of(ROWS, trust=weights), items_frame(), weight="trust").data.weights
    assert usual.tolist() == named.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert gr.load_ratings(frame_of(ROWS, weight=weights), items_frame(), weight=None).data.weights is None


def test_files_and_frames_are_read_alike_and_numbers_match_text(tmp_path):
    rows = [(1, 10, 2.5), (1, 11, 1.0), (2, 10, 0.0), (2, 11, 3.0)]
    frame_of(rows).write_csv(tmp_path / "r.csv")
    frame_of(rows).write_parquet(tmp_path / "r.parquet")
    (tmp_path / "items.csv").write_text("item,size\n10,1\n11,2\n")
    found = [gr.load_ratings(tmp_path / name, tmp_path / "items.csv").data for name in ("r.csv", "r.parquet")]
    assert [one.X.tolist() for one in found] == [[[1], [2], [1], [2]]] * 2
    assert [one.qid.tolist() for one in found] == [["1", "1", "2", "2"]] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user,item,rating\nu,a,1\nu,b,2\nu,a,3\n", r"r.csv:4: user 'u' has already rated item 'a' \(1 such row\)"),
        ("user,item,rating\nu,a,good\n", "r.csv:2: column 'rating' must contain numbers: got 'good'"),
        ("user,item,rating\nu,a,\n", "Column 'rating' has no value in 1 row, the first at line 2"),
        ("user,item,rating\nu,a,inf\n", "r.csv:2: column 'rating' must contain finite numbers"),
        ("user,item,rating\n", "no rows: expected one per rating"),
        ("user;item;rating\nu;a;1\n", "delimiter looks like ';'"),
        ("user item rating\nu a 1\n", "delimiter looks like ' '"),
        ("user,item,rating\nu,a,1\nv,a,1\n", "No user has two different ratings"),
        ("user,item,rating,weight\nu,a,1,-1\n", "Column 'weight'"),
        ("who,item,rating\nu,a,1\n", "user must be a column of the ratings: there is no column 'user'"),
    ],
)
def test_bad_ratings_are_refused_with_their_place(text, message, tmp_path):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        gr.load_ratings(tmp_path / "r.csv", items_frame())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one of items and reference_users"),
        ({"items": items_frame(), "reference_users": 2}, "give one of items and reference_users"),
        ({"reference_users": 3}, "reference_users must be between 1 and 2"),
        ({"reference_users": 0}, "reference_users must be between 1 and 2"),
        ({"reference_users": ["zoe"]}, "a user without ratings: 'zoe'"),
        ({"reference_users": ["ann", "ann"]}, "a list of different users"),
        ({"reference_users": []}, "a list of different users"),
        ({"reference_users": "ann"}, "a number or a list of users"),
        ({"reference_users": ["ann"], "exclude": ["price"]}, "exclude selects columns of a table of items"),
        ({"reference_users": ["ann"], "users": ["ann"]}, "who are not reference users: got 'ann'"),
        ({"items": items_frame(), "users": ["dan"]}, "users with different ratings"),
        ({"items": items_frame(), "fill": "zero"}, "fill must be one of"),
        ({"items": items_frame(), "rating": "item"}, "must be different columns"),
        ({"items": polars.concat([items_frame()] * 2)}, "Item 'a' appears 2 times"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        gr.load_ratings(frame_of(ROWS), **options)


def test_users_who_have_rated_everything_leave_nothing_to_rank():
    rows = [("u", "a", 1.0), ("u", "b", 2.0)]
    tasks = gr.load_ratings(frame_of(rows), polars.DataFrame({"item": ["a", "b"], "x": [1.0, 2.0]}))
    with pytest.raises(DataError, match="rated all items"):
        tasks.unrated()


def test_jester_has_the_users_of_the_published_comparison(real_data):
    path = real_data / "jester" / "jester_ratings.csv.gz"
    columns = {"user": "userId", "item": "jokeId", "min_ratings": 100, "min_different": 20}
    tasks = gr.load_ratings(path, reference_users=300, random_state=0, **columns)
    assert (len(tasks.reference_users), tasks.data.n_queries, tasks.items.n_rows) == (300, 650, 140)
    assert tasks.data.n_rows + sum(one.ratings for one in tasks.left_out.values()) < 385_416
    assert tasks.left_out["with fewer than 100 ratings"].members == 13_095 - 955
