"""The self-contained report page of an intent study."""

import re
from collections.abc import Container, Iterable, Mapping
from html import escape
from itertools import zip_longest

from glassrank.drawing.self_contained_page import NO_SCRIPT, Section, build_page, table
from glassrank.navigational.coupling import paper_figures as paper
from glassrank.navigational.coupling.coupling_result import Coupled, CouplingResult, code_of, engines
from glassrank.navigational.feature_labels import feature_label
from glassrank.navigational.features.catalogue import FEATURES
from glassrank.studies.intent.assessment_page import baselines_section, probabilities_section
from glassrank.studies.intent.result import SIMULATED, IntentResult, equally_good
from glassrank.studies.page_parts import STYLE, how_to_reproduce, page_head

MAX_COLUMNS_SHOWN = 15
PROMISE = "With the same tables and the same seed you get the same numbers."
OWN_STYLE = """
h3 { font-size: 15px; line-height: 24px; margin: 16px 0 4px; }
p.simulated { border-left: 4px solid var(--b); background: var(--tint-b); padding: 8px 16px; }
details { margin: 0 0 16px; }
table.study .number { padding-left: 12px; padding-right: 12px; }
table.study small { display: block; color: var(--ink3); font-size: 11px; font-weight: 400;
  line-height: 14px; }
table.study tbody th { border-bottom-color: var(--hair); padding-right: 12px; }
table.study td.best { font-weight: 600; background: var(--tint-a); } table.study td.best small { color: var(--ink2); }
@media print { table.study { line-height: 14px; } table.study small { font-size: 8px; line-height: 10px; } }
"""
# A pattern in the formulas, its symbol and the meaning; the page explains only symbols that occur.
NOTATION = (
    (r"\bq\b", "q", "the query (in features of the address without its spaces)"),
    (r"\bu\b", "u", "the address of the result, without scheme and www."),
    (r"\bh\b", "h", "its host without www."),
    (r"(?<![\w'])(?<!\d )s\b", "s", "the second-level label of the host, such as walmart in walmart.com"),
    (r"\bt\(", "t(x)", "the words of a text x, with repeats"),
    (r"T\(", "T(x)", "the distinct words of a text x"),
    (r"\bn_q[ux]\b", "n_qu", "clicks on u for q"),
    (r"\bn_qx\b", "n_qx", "clicks on an address x for q"),
    (r"\bn_q\b", "n_q", "clicks for q on any address"),
    (r"\bn_u\b", "n_u", "clicks on u for any query"),
    (r"\bv_qu\b", "v_qu", "how often u was shown for q"),
    (r"ctr\(", "ctr(position)", "clicks at a position / impressions at that position"),
    (r"\bdwell\b", "dwell", "the seconds that a user stays on the page"),
    (r"\bw\(|\bW\b|\bP\([aq]\)|different a\b", "w(a)", "the weight of the links with the anchor text a"),
    (r"\bW\b|\bP\([aq]\)", "W", "the sum of all w(a)"),
    (r"\bP\([aq]\)", "P(a)", "= w(a) / W"),
    (r"\bw_x\(", "w_x(q)", "the weight of the links to x whose anchor text is q"),
    (r"\bH / ", "H", "the entropy of the w(a)"),
    (r"\blcs\(", "lcs", "the length of the longest common substring"),
    (r"\blev\(|\blike\(", "lev", "the edit distance"),
    (r"\blike\(", "like(x, y)", "= 1 − lev(x, y) / max(len x, len y)"),
    (r"\bcov\(", "cov(x)", "the share of the words in T(q) that x contains"),
    (r"\bjacc\(", "jacc(x)", "= #(T(q) ∩ T(x)) / #(T(q) ∪ T(x))"),
    (r"\bBM25F?\b", "BM25", "a score of how often the words of q occur in a document; rare words count more"),
    (r"\bll\(", "ll(x)", "the mean of ln P(t) over the words t of q, P(t) from the words of x"),
    (r"Dirichlet|Jelinek", "Dirichlet, Jelinek–Mercer", "how P(t) is smoothed with the words of all documents"),
    (r"\btf\b", "tf", "how often a word occurs in the document"),
    (r"\bN\b", "N", "the number of pages"),
    (r"\bn_t\b", "n_t", "the number of pages with the word t"),
    (r"\bn_ab\b", "n_a, n_b, n_ab", "the numbers of pages with a, with b, with both"),
    (r"\bM \+ G\b", "c, M, G", "how often the run occurs in all bodies, the number of all runs, of distinct runs"),
    (r"P\(t, ", "P(t, home), P(t, topic)", "the share of the word t in home pages, in other pages"),
    (r"\brank_e\b", "rank_e", "the rank in the list of engine e"),
    (r"base set", "base set", "the results, the pages they link to, and the pages that link to them"),
    (r"\blen\b", "len", "the number of characters"),
    (r"#", "#", "the number of"),
    (r"\bln\b", "ln", "the natural logarithm"),
)
OPERATORS = (
    "The operator, after the bar |, summarises the values of the whole result list: mean, median, max, min, "
    "entropy and std (standard deviation); p1 to p5, the value at rank 1 to 5 (“vector” in table 2); r2, r5, r10 and "
    "r20, how far the value at that rank is below the highest, (max − value) / (max − min) (“normalised ratios” in "
    "table 2). |missing marks queries without a value. Features of the query alone, q_…, are the same for all results, "
    "so their mean, median, max, min and p1 to p5 are identical columns. Columns that are identical in the training "
    "rows are merged and count once; in tables 1 and 2, in equal parts for each of them."
)
Cell = tuple[str, str]
"""The text of a cell, and the small text below it."""


def page(result: IntentResult) -> str:
    """Return the HTML of the report."""
    found = result.coupling
    sections = [Section("Selection coupled with classification", _coupled(found))]
    if result.assessment.baselines:
        sections.append(Section("Baselines", baselines_section(result.assessment)))
    if result.assessment.held_out:
        sections.append(Section("Probabilities and errors", probabilities_section(result.assessment)))
    if found.curve:
        sections.append(Section("How many features", _curve(found)))
    sections.append(Section("All features", _all_features(found)))
    sections.append(Section("Selected features", _selected(result)))
    if result.profiles:
        sections.append(Section("Features over the ranks", _profiles(result)))
    sections.append(Section("Sources of the features", sources_section(result.absent)))
    sections.append(Section("Reproduce", how_to_reproduce(PROMISE, result.commands, result.versions)))
    warning = SIMULATED if result.simulated else None
    lead = page_head(result.lead(), result.facts, sections, warning=warning, notes=result.notes)
    return build_page(result.title, sections, lead=lead, head=f"{NO_SCRIPT}<style>{STYLE}{OWN_STYLE}</style>")


def _coupled(found: CouplingResult) -> str:
    """Table 4."""
    selectors = (*found.selectors, None)
    rows = {name: [_f1_cell(found[selector, name]) for selector in selectors] for name in found.classifiers}
    best = {(one.classifier, selectors.index(one.selector)) for one in equally_good(found)}
    head = ["F1", *found.selectors, "all features"]
    return (
        f"<p>Table 4. F1 on held-out queries of each classifier with the {found.n_features} columns that each selector "
        "selects: mean and standard deviation over folds. Small print: the figure of Lu, Peng, Li and Ahmed (2006) "
        f"with {paper.N_FEATURES} columns, on queries that are not public. It is for orientation only.</p>\n"
        f"{_table('Table 4, F1', head, rows, best)}"
        f'<p class="note">Selectors: {escape(engines(found.selectors))}. '
        f"Classifiers: {escape(engines(found.classifiers))}.</p>"
    )


def _f1_cell(one: Coupled) -> Cell:
    return f"{one.f1:.3f} ± {one.f1_std:.3f}", _paper(paper.f1(one.classifier, one.selector))


def _paper(value: float | None, *, percent: bool = False) -> str:
    if value is None:
        return ""
    return f"paper {value:.0%}" if percent else f"paper {value:.3f}"


def _all_features(found: CouplingResult) -> str:
    """Table 3."""
    rows = {}
    for name in found.classifiers:
        one = found[None, name]
        own = (one.recall, one.precision, one.f1)
        theirs = paper.all_features(name)
        rows[name] = [
            ("–" if value is None else f"{value:.3f}", _paper(beside))
            for value, beside in zip(own, theirs, strict=True)
        ]
    low, high = min(found.n_columns), max(found.n_columns)
    columns = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return (
        f"<p>Table 3. Every classifier on all columns ({columns} per fold: features that vary in the training rows, "
        f"and indicators of missing values{_merged(found)}), mean over folds. Small print: the paper’s "
        "figure on all 2,955 features of its own queries. It is for orientation only.</p>\n"
        f"{_table('Table 3, all features', ['', 'Recall', 'Precision', 'F1'], rows)}"
    )


def _merged(found: CouplingResult) -> str:
    """The number of columns that were merged, if there are any."""
    if not any(found.n_copies):
        return ""
    low, high = min(found.n_copies), max(found.n_copies)
    return f"; {f'{low:,}' if low == high else f'{low:,} to {high:,}'} identical columns are merged"


def _selected(result: IntentResult) -> str:
    """Tables 1 and 2, the columns that are selected most often, and how to read their names."""
    found = result.coupling
    parts = [
        f"<p>Share of the {found.n_features} selected columns, mean over folds. Small print: the paper’s share of "
        f"{paper.N_FEATURES} columns.</p>"
    ]
    for number, what, table_, shares in (
        (1, "category", paper.BY_CATEGORY, found.by_category),
        (2, "operator", paper.BY_OPERATOR, found.by_operator),
    ):
        if shares is not None:
            rows = _share_rows(shares, table_, tuple(found.selectors))
            parts.append(f"<h3>Table {number}: by {what}</h3>")
            parts.append(_table(f"Table {number}, by {what}", ["", *found.selectors], rows))
    parts.append("<h3>Selected in the most folds</h3>")
    parts.append(_most_kept(found))
    parts.append(_notation([*_shown(found), *(one.feature for one in result.profiles)]))
    parts.append(f"<p>{escape(OPERATORS)}</p>")
    return "\n".join(parts)


def _share_rows(
    shares: Mapping[str, Mapping[str, float]], table_: dict[str, tuple[int, int, int]], selectors: tuple[str, ...]
) -> dict[str, list[Cell]]:
    return {
        group: [
            (f"{shares[name][group]:.0%}", _paper(paper.share(table_, group, name), percent=True)) for name in selectors
        ]
        for group in shares[selectors[0]]
    }


def _most_kept(found: CouplingResult) -> str:
    folds = len(found.n_columns)
    columns = [list(found.kept[one].items())[:MAX_COLUMNS_SHOWN] for one in found.selectors]
    lists = [
        [(feature_label(name), f"{code_of(name, found.copies)}, {n} of {folds} folds") for name, n in kept]
        for kept in columns
    ]
    rows = {str(place): list(cells) for place, cells in enumerate(zip_longest(*lists, fillvalue=("", "")), start=1)}
    return (
        "<p>A column is a feature of the results, summarised over the result list by an operator. Below each label you "
        "find its code and the number of folds that select it.</p>"
        f"{_table('Selected columns', ['', *found.selectors], rows)}{_meanings(found)}"
    )


def _shown(found: CouplingResult) -> set[str]:
    """The features in the table of selected columns."""
    return {name.partition("|")[0] for one in found.selectors for name in list(found.kept[one])[:MAX_COLUMNS_SHOWN]}


def _meanings(found: CouplingResult) -> str:
    """The formulas of the features in the table of selected columns; empty if none is in the catalogue."""
    shown = _shown(found)
    rows = [[feature.name, feature.category, feature.formula] for feature in FEATURES if feature.name in shown]
    if not rows:
        return ""
    formulas = table(["Feature", "Category", "Formula"], rows, numeric=set())
    return (
        f"<details><summary>What these {len(rows)} features are</summary>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="Formulas">{formulas}</div></details>'
    )


def _notation(names: Iterable[str]) -> str:
    """The symbols in the formulas of these features; empty if none is in the catalogue."""
    shown = set(names)
    formulas = [feature.formula for feature in FEATURES if feature.name in shown]
    text = [
        f"<b>{escape(symbol)}</b> {escape(meaning)}"
        for pattern, symbol, meaning in NOTATION
        if any(re.search(pattern, formula) for formula in formulas)
    ]
    return f"<p>In the formulas: {'; '.join(text)}.</p>" if text else ""


def _curve(found: CouplingResult) -> str:
    spread = [one.f1_std for one in found.curve]
    caption = (
        f"Figure 3. F1 of {found.curve[0].classifier} against the number of columns, by selector. The standard "
        f"deviation over folds is {min(spread):.3f} to {max(spread):.3f}: smaller differences mean little."
    )
    return found.chart().figure(caption)


def _profiles(result: IntentResult) -> str:
    """Figure 2, or 2a, 2b, … if there are several."""
    formula = {feature.name: f": {feature.formula}" for feature in FEATURES}
    drawn = []
    for place, one in enumerate(result.profiles):
        letter = chr(ord("a") + place) if len(result.profiles) > 1 else ""
        text = f"Figure 2{letter}. {feature_label(one.feature)} ({one.feature}{formula.get(one.feature, '')})."
        drawn.append(one.figure(f"{text} {one.text.subtitle}"))
    return "\n".join(drawn)


def sources_section(absent: Mapping[str, tuple[str, ...]]) -> str:
    """The features that are left out because a source is missing."""
    if not absent:
        return "<p>All sources are available: no feature is left out.</p>"
    rows = [[need, f"{len(names):,}", ", ".join(names)] for need, names in absent.items()]
    return (
        "<p>If a source, a column or a kind of event is missing, its features are left out. They are never filled "
        "with zeros.</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Features left out">'
        f"{table(['Missing', 'Features', 'Left out'], rows, numeric={1})}</div>"
    )


def _table(name: str, head: list[str], rows: Mapping[str, list[Cell]], best: Container[tuple[str, int]] = ()) -> str:
    """A table whose cells have a small second line; the best cells are highlighted."""
    titles = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(title)}</th>' for place, title in enumerate(head)
    )
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>'
        + "".join(_cell(cell, (row, place) in best) for place, cell in enumerate(cells))
        + "</tr>"
        for row, cells in rows.items()
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}"><table class="study"><thead><tr>'
        f"{titles}</tr></thead><tbody>{body}</tbody></table></div>\n"
    )


def _cell(cell: Cell, best: bool) -> str:
    small = f"<small>{escape(cell[1])}</small>" if cell[1] else ""
    return f'<td class="number{" best" if best else ""}">{escape(cell[0])}{small}</td>'
