"""The lists of a distillation as text: authorities, hubs and pruned pages with their reasons."""

from collections.abc import Sequence
from typing import Any

from glassrank.core.wording import counted, shortened
from glassrank.distillation.page_reasons import VOTERS, Vote
from glassrank.drawing.text_table import align

PRUNED_SHOWN = 10
SHOWN_SHARE = 0.005  # parts of a squared distance that do not round to 0 %
USUAL_SIZE = 1.05  # longer vectors are reported
TITLE, ADDRESS = 40, 44


def distilled_text(found: Any) -> str:
    """Format the title line, authorities, hubs and pruned pages with their reasons, and notes."""
    parts = [heading_text(found), _block("Authorities", found.authorities, "linked from")]
    if found.hubs:
        parts.append(_block("Hubs", found.hubs, "links to"))
    if found.pruned.any():
        parts.append(_pruned_block(found))
    parts += [f"Note: {note}" for note in found.notes]
    return "\n\n".join(parts)


def heading_text(found: Any) -> str:
    """Say what was ranked, and by which rule pages were pruned, in two lines."""
    n, out = len(found.pages), int(found.pruned.sum())
    pages = f"{counted(n, 'page')} of the {found.options.candidates} set"
    lines = [f"{found.query} · {found.method} · {pages}" + (f", {out:,} pruned" if out else "")]
    lines.append(f"links kept {found.edges_kept:,} of {found.edges_total:,}")
    judgement = found.judgement
    if judgement is not None:
        lines[-1] += (
            f" · sphere of radius {judgement.radius:.3f}: accepts {judgement.accepted_trained:.0%} of the "
            f"{counted(int(judgement.trained.sum()), 'page')} it was trained on"
        )
        if judgement.accepted_unseen is not None:
            lines[-1] += f", {judgement.accepted_unseen:.0%} of the others"
    if found.scored.threshold is not None:
        fraction = found.options.fraction
        rule = found.options.threshold if fraction is None else f"{fraction:g} of the largest"
        lines[-1] += f" · pruned below relevance {found.scored.threshold:.3f} ({rule})"
    return "\n".join(lines)


def _block(heading: str, pages: Sequence[Any], verb: str) -> str:
    if not pages:
        return f"{heading}: none"
    rows = [("", "score", heading, "address", "why")]
    rows += [
        (*_named(page, f"{page.score:.3f}"), "in search order" if page.filled else votes_text(page.votes, verb))
        for page in pages
    ]
    return align(rows)


def _named(page: Any, measured: str) -> tuple[str, str, str, str]:
    return str(page.rank), measured, shorten(page.title, TITLE) or "(no title)", shorten(page.url, ADDRESS)


def votes_text(votes: tuple[Vote, ...], verb: str) -> str:
    """Name the pages whose links count most, with their shares; empty if there are none."""
    if not votes:
        return ""
    named = ", ".join(f"{shorten(vote.title, 28)} {vote.share:.0%}" for vote in votes[:VOTERS])
    more = len(votes) - VOTERS
    return f"{verb} {named}" + (f" and {more:,} more" if more > 0 else "")


def _pruned_block(found: Any) -> str:
    pages = found.first_pruned(PRUNED_SHOWN)
    measure = "distance" if found.judgement is not None else "relevance" if found.relevance is not None else "search"
    rows = [("", measure, "Pruned", "address", "why")]
    rows += [(*_named(page, pruned_by(page)), pruned_text(page)) for page in pages]
    more = int(found.pruned.sum()) - len(pages)
    return align(rows) + (f"\n… and {more:,} more" if more > 0 else "")


def pruned_by(page: Any) -> str:
    """Return the number by which a page was pruned: its distance in radii, its relevance, or its search score."""
    topicality = page.topicality
    if topicality is None:
        return f"{page.score:.3f}"
    if topicality.distance is not None:
        return f"{topicality.distance:.3f} R"
    return f"{topicality.relevance:.3f}"


def pruned_text(page: Any) -> str:
    """Say why a page was pruned: the words and links that lead away from the topic, and what it shares with it."""
    topicality = page.topicality
    if topicality is None:
        return "not in the top of the search"
    words = ", ".join(topicality.away[:3]) or "no words"
    shared = ", ".join(topicality.towards[:3]) or "nothing"
    if topicality.words_share is None or topicality.size is None:
        return f"off topic: {words}; shared: {shared}"
    linked = ", ".join(shorten(title, 28) for title in topicality.cited_apart[:2])
    links = f"linked from {linked}" if linked else "no links of its own"
    parts = [(topicality.words_share, "words", words), (1 - topicality.words_share, "links", links)]
    far = [f"{share:.0%} {kind}: {what}" for share, kind, what in parts if share >= SHOWN_SHARE]
    size = f"; length × {topicality.size:.1f}" if topicality.size > USUAL_SIZE else ""
    return f"{'; '.join(far)}; shared: {shared}{size}"


def shorten(text: str, width: int) -> str:
    """Shorten a text to a width, and replace white space by single blanks."""
    return shortened(" ".join(text.split()), width)
