"""The head of the Ranking page: query, model, order, what is known of the query, and the sentence of a what-if."""

from html import escape

from glassrank.app.ranking_page.page_words import document_mark, hidden, label_text, measure_text, ordinal
from glassrank.app.ranking_page.ranking_address import Shown
from glassrank.core.wording import counted
from glassrank.studies.views.model_view import QUERY_ORDERS
from glassrank.studies.views.pair_view import value_text

REDO = '<button type="button" class="small" id="redo" hidden>Redo</button>'
MOST_LABELS = 6  # different labels that are counted one by one


def head_part(shown: Shown, page: str = "ranking") -> str:
    """Return the forms that choose query, model and order, and the facts of the query; ``page`` is where they lead."""
    return (
        f'<h1 class="unseen">{page.capitalize()} of query {escape(shown.ranked.query)}</h1>'
        f'<div class="controls">{_query(shown)}{_model(shown)}<span class="room"></span>'
        f"{_neighbours(shown, page)}{_order(shown)}</div>{_facts(shown)}"
    )


def _query(shown: Shown) -> str:
    number, total = shown.ranked.number + 1, shown.view.data.n_queries
    return (
        f'<form method="get" class="field"><label for="query">Query</label><span class="with-note">'
        f'<input id="query" name="q" value="{escape(shown.ranked.query)}" autocomplete="off">'
        f'<span class="hint">q {number:,} of {total:,}</span></span>'
        f"{hidden('model', shown.view.n_features)}{hidden('order', shown.asked.order)}</form>"
    )


def _model(shown: Shown) -> str:
    study = shown.view.study
    options = "".join(
        f'<option value="{n}"{" selected" if n == shown.view.n_features else ""}>{counted(n, "feature")}'
        f"{', chosen' if n == study.elimination.n_kept else ''}</option>"
        for n in study.sizes
    )
    return (
        f'<form method="get" class="field submits"><label for="model">Model</label><span class="row">'
        f'<select id="model" name="model">{options}</select><button class="small">Show</button></span>'
        f"{_state(shown)}{hidden('order', shown.asked.order)}</form>"
    )


def _order(shown: Shown) -> str:
    options = "".join(
        f'<option value="{key}"{" selected" if key == shown.asked.order else ""}>{words}</option>'
        for key, words in QUERY_ORDERS.items()
    )
    return (
        '<form method="get" class="field submits"><label for="order" class="unseen">Order of the queries</label>'
        f'<span class="row"><select id="order" name="order">{options}</select><button class="small">Show</button>'
        "</span>"
        f"{_state(shown)}{hidden('model', shown.view.n_features)}</form>"
    )


def _state(shown: Shown) -> str:
    names = shown.ranked.names
    fields = hidden("q", shown.ranked.query) + hidden("a", names[shown.a])
    fields += "" if shown.b is None else hidden("b", names[shown.b])
    return fields + "".join(hidden("set", one) for one in shown.ranked.changes)


def _neighbours(shown: Shown, page: str) -> str:
    """Return links to the previous and the next query in the chosen order."""
    order = shown.view.query_order(shown.asked.order).tolist()
    place = order.index(shown.ranked.number)
    links = []
    for step, key, words in ((-1, "K", "← <kbd>K</kbd>"), (1, "J", "<kbd>J</kbd> →")):
        label = "Previous query" if step < 0 else "Next query"
        if 0 <= place + step < len(order):
            href = shown.query_link(order[place + step], page)
            links.append(f'<a class="button" data-key="{key}" aria-label="{label}" href="{href}">{words}</a>')
        else:
            links.append(f'<span class="button disabled" aria-hidden="true">{words}</span>')
    return "".join(links)


def _facts(shown: Shown) -> str:
    ranked, view = shown.ranked, shown.view
    measure = view.study.recipe.measure.upper()
    facts = [counted(len(ranked.names), "document")]
    value = ranked.recorded.measure
    if value is None:
        facts.append(f"{escape(measure)} is not defined for this query")
    else:
        place = f"{ordinal(int(view.query_places[ranked.number]))} of {view.data.n_queries:,}"
        facts.append(f"{escape(measure)} <b>{measure_text(value)}</b> as recorded, {place}")
    facts.append(f"ranking SVM, {escape(view.study.recipe.model_in_words)}")
    if view.study.measured is view.study.training:
        facts.append("trained on these queries")
    if view.study.is_sample:
        facts.append("a random sample of the queries is stored")
    counts = ranked.label_counts
    if len(counts) <= MOST_LABELS:
        labels, numbers = (" / ".join(map(str, part)) for part in zip(*_in_words(counts), strict=True))
        facts.append(f"judged {labels}: {numbers}")
    else:
        facts.append(f"judged from {label_text(counts[-1][0])} to {label_text(counts[0][0])}")
    if view.study.record.options.get("scale_per_query"):
        facts.append("values are scaled within each query")
    return f'<p class="facts">{"".join(f"<span>{fact}</span>" for fact in facts)}</p>'


def _in_words(counts: list[tuple[float, int]]) -> list[tuple[str, str]]:
    return [(label_text(label), f"{count:,}") for label, count in counts]


def what_if_part(shown: Shown, dropped: int = 0) -> str:
    """Return the sentence on the changes, with undo and reset; an empty region without changes."""
    note = ""
    if dropped:
        note = f'<p class="note">{counted(dropped, "change")} left out: this model has no such feature.</p>'
    if not shown.ranked.changes:
        asked = "<b>What if</b> a value were different? Drag a dot of the pair, or click a bar."
        if not shown.view.scores_documents:
            return f'{note}<div id="what-if"><p id="what-if-said"></p></div>'
        return f'{note}<div id="what-if" class="active needs-script"><p id="what-if-said">{asked}</p>{REDO}</div>'
    return (
        f'<div id="what-if" class="active"><p id="what-if-said">{_sentence(shown)}</p>'
        f'<span class="row"><a class="button small" id="undo" href="{shown.href(set=shown.asked.set[:-1])}">Undo '
        f'<kbd>Z</kbd></a>{REDO}<button type="button" class="small" id="copy" hidden>Copy link</button>'
        f'<a id="reset" href="{shown.href(set=())}">Reset to recorded values</a></span></div>{note}'
    )


def _sentence(shown: Shown) -> str:
    ranked = shown.ranked
    documents = list(dict.fromkeys(document for document, _ in ranked.changed))
    measure = shown.view.study.recipe.measure.upper()
    quality = f"{escape(measure)} {measure_text(ranked.recorded.measure)} → <b>{measure_text(ranked.now.measure)}</b>"
    if len(documents) > 1:
        values = counted(len(ranked.changed), "value")
        return f"<b>What if</b> {values} of {counted(len(documents), 'document')} were different: {quality}."
    place = documents[0]
    letter = "a" if place == shown.a else "b" if place == shown.b else ""
    parts = [_changed_value(shown, place, k) for _, k in ranked.changed]
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return (
        f"<b>What if</b> {document_mark(letter)} {escape(ranked.names[place])}’s {listed}: {_moved(shown, place)}, "
        f"{quality}."
    )


def _changed_value(shown: Shown, place: int, k: int) -> str:
    effect = shown.view.effects.features[k]
    then, now = (float(state.values[place, k]) for state in (shown.ranked.recorded, shown.ranked.now))
    unit = f" {escape(effect.unit)}" if effect.unit else ""
    return (
        f"{escape(effect.name)} were <s>{escape(value_text(effect, then))}</s> "
        f"<b>{escape(value_text(effect, now))}</b>{unit}"
    )


def _moved(shown: Shown, place: int) -> str:
    then, now = (int(state.ranks[place]) for state in (shown.ranked.recorded, shown.ranked.now))
    if then == now:
        return f"it stays at rank {now}"
    one, others = abs(then - now) == 1, counted(abs(then - now), "document")
    if now < then:
        return f"it rises from rank {then} to {now}, {others} {'makes' if one else 'make'} way"
    return f"it falls from rank {then} to {now}, {others} {'passes' if one else 'pass'} it"
