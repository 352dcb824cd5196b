"""The picker of a report: search for a query and choose two of its documents for the live nomogram."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from glassrank.drawing.live_page import as_json
from glassrank.studies.ranking.picker_queries import PickerQueries

STYLE = """
.picker { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: flex-start; margin: 0 0 16px; }
.picker > div { flex: 0 1 340px; min-width: 220px; position: relative; }
.picker label { display: block; font-size: 12px; line-height: 18px; color: var(--ink2); font-weight: 600; }
.picker input, .picker select { display: block; width: 100%; height: 38px; margin-top: 4px;
  font: inherit; font-size: 15px; color: var(--ink);
  background: var(--page); border: 1px solid var(--mark); border-radius: 4px; padding: 6px 8px;
  text-overflow: ellipsis; }
.picker .a select { border-left: 4px solid var(--a); } .picker .b select { border-left: 4px solid var(--b); }
.picker p { font-size: 12px; line-height: 18px; margin: 4px 0 0; color: var(--ink3); }
.picker p.message { flex: 1 0 100%; font-size: 15px; line-height: 24px; color: var(--ink); max-width: none; }
.picker p.message:empty { display: none; }
.picker .matches { position: absolute; z-index: 2; left: 0; top: 64px; width: max(100%, 300px);
  max-width: calc(100vw - 48px); background: var(--page); border: 1px solid var(--rule); border-radius: 4px;
  box-shadow: 0 4px 16px #0003; }
.picker .matches p { padding: 6px 12px; margin: 0; border-bottom: 1px solid var(--hair); }
.picker .matches ul { list-style: none; margin: 0; padding: 0; max-height: 330px; overflow-y: auto; }
.picker .matches li { display: flex; gap: 16px; justify-content: space-between; padding: 4px 12px; cursor: default; }
.picker .matches li span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.picker .matches li span + span { flex: none; color: var(--ink2); font-size: 12px; }
.picker .matches li[aria-selected=true] { background: var(--subtle); outline: 2px solid var(--a);
  outline-offset: -2px; }
@media print { .picker { display: none; } }
"""


@cache
def picker_script() -> str:
    """Return the script of the picker."""
    folder = files("glassrank.studies.ranking.report")
    parts = ("picker_data.js", "query_search.js", "picker.js")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in parts)


def picker(content: str) -> str:
    """Return the search for a query and two selects, with their data as JSON; the script fills them."""
    return (
        f'<style>{STYLE}</style><div class="picker" role="group" aria-label="Query and documents to compare">'
        # Without autocomplete="off", a browser may keep the query after a reload but not its documents.
        '<div><label for="picked-query">Query</label><input id="picked-query" class="query" type="text" '
        'role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="picker-matches" '
        'aria-describedby="picker-fact" autocomplete="off" spellcheck="false" dir="auto">'
        '<div class="matches" hidden><p role="status"></p>'
        '<ul id="picker-matches" role="listbox" aria-label="Queries"></ul></div><p id="picker-fact"></p></div>'
        '<div class="a"><label for="document-a">Document A</label><select id="document-a"></select></div>'
        '<div class="b"><label for="document-b">Document B</label><select id="document-b"></select></div>'
        f'<p class="message" role="alert"></p>{picker_data(content)}</div>'
    )


def picker_data(content: str) -> str:
    """Return the element with the picker's data."""
    return f'<script type="application/json" class="pairs">{content}</script>'


def all_queries(queries: PickerQueries, made: Iterable[str] | None = None) -> str:
    """Return the data of all queries as JSON; ``made`` is the JSON of each query, if it is known."""
    head = as_json(first_query(queries) | {"index": queries.catalogue()})
    texts = (as_json(one.parts()) for one in queries) if made is None else made
    return f'{head[:-1]},"queries":[{",".join(texts)}]}}'


def first_query(queries: PickerQueries) -> dict[str, object]:
    """Return the place and the documents of the query that the page shows first, and the name of the measure."""
    opened = queries[queries.place_opened]
    return {"measure": queries.measure.upper(), "opened": queries.place_opened, "start": opened.opens}
