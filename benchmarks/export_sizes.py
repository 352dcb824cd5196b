"""Size and stated error of a model in every export format; simulated."""

from collections.abc import Iterator
from typing import Any

from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.export.formats.format_table import FORMATS
from harness import Claim, main
from serving import MODELS, N_FEATURES, judged


def claims() -> Iterator[Claim]:
    """Export models of 50 features; a format that cannot hold a model refuses it."""
    train = judged(60, 0)
    for name, make in MODELS.items():
        model = gr.PairCalibrator(make_pipeline(gr.FeatureTransformer(), make()), cv=2).fit(train)
        yield from (size(name, model, format_name) for format_name in FORMATS)


def size(name: str, model: Any, format_name: str) -> Claim:
    """Return the bytes of the files to upload, and the largest error that is possible."""
    claim = f"export to {format_name}, {name}, {N_FEATURES} features"
    try:
        exported = gr.export_model(model, format_name, rename="auto")
    except gr.DataError as refusal:
        return Claim(claim, "–", "refused", "–", True, refusal.problem)
    size_kb = sum(map(len, exported.written.files.values())) / 1e3
    kind = f"{exported.written.kind}; " if exported.written.kind else ""
    error = f"stated error {exported.bound:.1e} of allowed {exported.model.tolerance:.1e}"
    tables = f"{kind}tables {exported.written.table_error:.1e}, rounding {exported.written.rounding:.1e}"
    return Claim(claim, "–", f"{size_kb:,.1f} kB", error, exported.bound <= exported.model.tolerance, tables)


if __name__ == "__main__":
    main(claims)
