"""The numbers at the top of the report of an intent study."""

from glassrank.navigational.feature import CATEGORIES
from glassrank.navigational.features.sources import IntentSources
from glassrank.studies.intent.features import MadeFeatures
from glassrank.studies.intent.intents import MatchedIntents


def study_facts(sources: IntentSources, made: MadeFeatures, matched: MatchedIntents, cv: int) -> dict[str, str]:
    """Return the numbers of queries, sources and features, in words."""
    different = dict(zip(made.queries.features, made.queries.categories, strict=True))
    by_category = ", ".join(
        f"{list(different.values()).count(one)} {one}" for one in CATEGORIES if one in different.values()
    )
    # Navigational first, if there are two classes.
    counts = matched.counts.items() if matched.several else reversed(matched.counts.items())
    log, links, pages = sources.log_facts, sources.links, sources.pages
    sizes = {
        "results": len(sources.results),
        "events": None if log is None else log.n_events,
        "links": None if links is None else len(links),
        "pages": None if pages is None else len(pages),
    }
    return {
        "Queries": f"{len(matched.y):,}: {', '.join(f'{count:,} {name}' for name, count in counts)}",
        "Sources": ", ".join(f"{size:,} {name}" for name, size in sizes.items() if size is not None),
        "Features of results": f"{len(different):,}: {by_category}",
        "Features of queries": f"{len(made.queries.features):,}, with {len(set(made.queries.operators))} operators",
        "Measured on": f"{cv} folds, selection inside each",
    }
