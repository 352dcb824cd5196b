"""The picker of a report: choose a query and two documents for the live nomogram."""

import json
from functools import cache
from html import escape
from importlib.resources import files

from glassrank.studies.ranking.result import PickerQuery

STYLE = """
.picker { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 0 0 16px; }
.picker label { font-size: 12px; line-height: 18px; color: var(--ink3); }
.picker select { display: block; font: inherit; font-size: 15px; min-width: 220px; max-width: 340px; color: var(--ink);
  background: var(--page); border: 1px solid var(--mark); border-radius: 4px; padding: 6px 8px; }
.picker label.a select { border-left: 4px solid var(--a); } .picker label.b select { border-left: 4px solid var(--b); }
@media print { .picker { display: none; } }
"""


@cache
def picker_script() -> str:
    """Return the script of the picker."""
    return files("glassrank.studies.ranking").joinpath("picker.js").read_text(encoding="utf-8")


def picker(queries: tuple[PickerQuery, ...]) -> str:
    """Return three selects, set to the pair that the nomogram shows, and the data of all pairs."""
    opened = next((place for place, one in enumerate(queries) if one.opens is not None), 0)
    options = "".join(
        f'<option value="{place}"{" selected" if place == opened else ""}>{escape(one.query)}</option>'
        for place, one in enumerate(queries)
    )
    start = queries[opened].opens or (0, 1) if queries else (0, 1)
    content = json.dumps(
        {"start": start, "queries": [{"documents": one.documents, "pairs": one.pairs} for one in queries]},
        ensure_ascii=False,
        separators=(",", ":"),
    ).replace("<", "\\u003c")
    return (
        # Without autocomplete="off", a browser may keep the query after a reload but not its documents.
        f'<style>{STYLE}</style><div class="picker">'
        f'<label>Query<select class="query" autocomplete="off">{options}</select></label>'
        '<label class="a">Document A<select class="document"></select></label>'
        '<label class="b">Document B<select class="document"></select></label>'
        f'<script type="application/json">{content}</script></div>'
    )
