"""The tables of an intent study put the paper's numbers first, and show ours alone where it has none."""

import json
import sys

from experiments.intent_tables import main


def coupled(selector, n_features, f1):
    own = {"recall": 0.5, "precision": 1.0, "f1": f1, "f1_std": 0.01}
    return {"selector": selector, "classifier": "boosting trees", "n_features": n_features, **own}


def test_the_papers_numbers_come_first_and_figure_3_is_drawn(tmp_path, capsys, monkeypatch):
    share = {"SVM weights": {"click": 0.25, "url": 0.75}, "nomogram": {"click": 1.0, "url": 0.0}}
    curve = [coupled("SVM weights", 50, 0.9), coupled("nomogram", 50, 0.7), coupled(None, 2955, 0.8)]
    coupling = {
        "by_category": share,
        "by_operator": {"SVM weights": {"vector": 1.0}},
        "selectors": {"SVM weights": "LIBLINEAR", "nomogram": "LIBLINEAR"},
        "coupled": curve,
        "curve": curve,
        "n_columns": [2955] * 5,
        "n_features": 50,
    }
    (tmp_path / "result.json").write_text(json.dumps({"facts": {"Queries": "2,102"}, "coupling": coupling}))
    monkeypatch.setattr(sys, "argv", ["tables", str(tmp_path), "--picture", str(tmp_path / "f3.svg")])
    main()
    lines = capsys.readouterr().out.splitlines()
    # The paper: 84 % click and 2 % url features by SVM weights, F1 .881 with them, recall .724 on all features.
    assert "| click | 84 / 25 % | 100 % |" in lines
    assert "| url | 2 / 75 % | 0 % |" in lines
    assert "| vector | 22 / 100 % |" in lines
    assert "| boosting trees | .724 / .500 | .845 / 1.000 | .780 / .800 |" in lines
    assert "| boosting trees | .881 / .900 | .700 | .780 / .800 |" in lines
    assert "| nomogram | .700 | .800 |" in lines
    assert "<svg" in (tmp_path / "f3.svg").read_text()
