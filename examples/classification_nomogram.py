"""Classifiers as nomograms: one line per feature, one tick per category, the dots of one row and its P(class).

Usage: python examples/classification_nomogram.py FOLDER

If ``GLASSRANK_DATA`` names a folder that contains ``tabular``, the tables are heart disease and the Titanic. Otherwise,
they are the breast tumours bundled with scikit-learn, which are real, and simulated passengers, which are not.

The script trains support vector machines (linear and LRBF), logistic regression and, if all columns are categories,
naive Bayes on each table. It prints accuracy and AUC over five folds and the probability of one row, and draws each
model as SVG and PNG into FOLDER, with an index.html for each table. For both support vector machines it also eliminates
the features with the shortest lines, and draws the accuracy against their number.
"""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from figures.sheet import Sheet, write_page
from figures.tables import Table, bundled_tumours, load_heart, load_titanic, simulate_passengers
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import glassrank as gr

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def main(folder: Path, home: Path | None) -> None:
    """Train the models of every table and draw them."""
    if home is None:
        print("Without GLASSRANK_DATA: a table bundled with scikit-learn, and a simulated one")
        tables = [bundled_tumours(), simulate_passengers()]
    else:
        tables = [load_heart(home / "tabular/heart_disease.tab"), load_titanic(home / "tabular/titanic.tab")]
    with threadpool_limits(1):
        for table in tables:
            print(f"\n{table.name}: {table.origin}; row {table.document} is drawn")
            sheets = [draw(table, name, model) for name, model in models(table).items()]
            for kernel in ("linear", "lrbf"):
                eliminate(table, kernel, folder)
            write_page(folder / table.folder, f"Classification nomograms: {table.name}", f"{table.origin}.", sheets)
    print(f"\nWrote to {folder}: {', '.join(f'{table.folder}/index.html' for table in tables)}")


def models(table: Table) -> dict[str, Any]:
    """Return classifiers by name; categories become columns of 0 and 1, which the picture shows as one line."""
    last = {
        "linear SVM": gr.AdditiveSVC(C=0.1, random_state=0),
        "LRBF SVM": gr.AdditiveSVC(C=0.1, kernel="lrbf", gamma=0.5, random_state=0),
        "logistic regression": LogisticRegression(max_iter=1000),
    }
    made = {name: make_pipeline(columns(table), model) for name, model in last.items()}
    if not table.numeric:
        made["naive Bayes"] = make_pipeline(OrdinalEncoder(), CategoricalNB())
    return made


def columns(table: Table) -> Any:
    """Return a transformer that standardises numbers and gives each category a column."""
    return make_column_transformer((StandardScaler(), table.numeric), (OneHotEncoder(), table.categorical))


def draw(table: Table, name: str, model: Any) -> Sheet:
    """Measure over folds, fit to all rows, print, and draw the row."""
    measured = cross_validate(model, table.X, table.y, cv=FOLDS, scoring=["accuracy", "roc_auc"])
    model.fit(table.X, table.y)
    row = table.X.iloc[[table.document]]
    probability = model.predict_proba(row)[0, list(model.classes_).index(table.positive)]
    picture = gr.nomogram(model, table.X, document=table.document, title=f"{table.name}: {name}")
    drawn = float(picture.effects.probability(np.array(picture.overlay.total)))
    note = (
        f"Accuracy {measured['test_accuracy'].mean():.3f}, AUC {measured['test_roc_auc'].mean():.3f} (five folds). "
        f"P({table.positive}) of row {table.document}: {probability:.3f} by the model, {drawn:.3f} in the picture."
    )
    print(f"  {name}: {note}")
    return Sheet(name.lower().replace(" ", "-"), name, (note,), picture)


def eliminate(table: Table, kernel: str, folder: Path) -> None:
    """Drop the feature with the shortest line, one at a time, print the result, and draw the accuracy."""
    own = table.X.copy()
    own[table.numeric] = (own[table.numeric] - own[table.numeric].mean()) / own[table.numeric].std()
    machine = gr.AdditiveSVC(C=0.1, kernel=kernel, gamma=0.5 if kernel == "lrbf" else "scale", cv=None)
    data = gr.RankingData.from_frame(own.assign(label=(table.y == table.positive).astype(int), qid=0))
    rfe = gr.NomogramRFE(machine, cv=5, scoring="accuracy", nested=True, random_state=0)
    rfe.fit(data.table, data.y.astype(int))
    first = rfe.result_.rounds[0].mean
    kept = [name for name, chosen in zip(data.feature_names, rfe.support_, strict=True) if chosen]
    print(
        f"  elimination, {kernel}: {first:.3f} with all {len(rfe.support_)} features, {rfe.selection_score_:.3f} with "
        f"{rfe.n_features_} ({', '.join(kept)}); nested {rfe.nested_score_:.3f}"
    )
    (folder / table.folder).mkdir(parents=True, exist_ok=True)
    rfe.result_.chart().save(folder / table.folder / f"elimination-{kernel}.svg")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the pictures.")
    named = os.environ.get("GLASSRANK_DATA")
    main(parser.parse_args().folder, Path(named) if named else None)
