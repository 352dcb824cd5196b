"""How a distillation prints itself in a terminal."""

from typing import TYPE_CHECKING

from glassrank.data.wording import counted
from glassrank.distillation.why import VOTERS, Vote
from glassrank.metrics.tables import align

if TYPE_CHECKING:
    from glassrank.distillation.distilled import Distilled, RankedPage

PRUNED_SHOWN = 10
TITLE, ADDRESS = 40, 44


def distilled_text(found: "Distilled") -> str:
    """Title line, authorities, hubs and pruned pages with their reasons, and notes."""
    parts = [_heading(found), _block("Authorities", found.authorities, "linked from")]
    if found.hubs:
        parts.append(_block("Hubs", found.hubs, "links to"))
    if found.pruned.any():
        parts.append(_pruned_block(found))
    parts += [f"Note: {note}" for note in found.notes]
    return "\n\n".join(parts)


def _heading(found: "Distilled") -> str:
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


def _block(heading: str, pages: "tuple[RankedPage, ...]", verb: str) -> str:
    if not pages:
        return f"{heading}: none"
    rows = [("", "score", heading, "address", "why")]
    rows += [(*_named(page, f"{page.score:.3f}"), _why(page.votes, verb)) for page in pages]
    return align(rows)


def _named(page: "RankedPage", measured: str) -> tuple[str, str, str, str]:
    return str(page.rank), measured, shorten(page.title, TITLE), shorten(page.url, ADDRESS)


def _why(votes: tuple[Vote, ...], verb: str) -> str:
    if not votes:
        return ""
    named = ", ".join(f"{shorten(vote.title, 28)} {vote.share:.0%}" for vote in votes[:VOTERS])
    more = len(votes) - VOTERS
    return f"{verb} {named}" + (f" and {more:,} more" if more > 0 else "")


def _pruned_block(found: "Distilled") -> str:
    pages = found.first_pruned(PRUNED_SHOWN)
    measure = "distance" if found.judgement is not None else "relevance" if found.relevance is not None else "search"
    rows = [("", measure, "Pruned", "address", "why")]
    rows += [(*_named(page, _measured(page)), _topic_words(page)) for page in pages]
    more = int(found.pruned.sum()) - len(pages)
    return align(rows) + (f"\n… and {more:,} more" if more > 0 else "")


def _measured(page: "RankedPage") -> str:
    topicality = page.topicality
    if topicality is None:
        return f"{page.score:.3f}"
    if topicality.distance is not None:
        return f"{topicality.distance:.3f} R"
    return f"{topicality.relevance:.3f}"


def _topic_words(page: "RankedPage") -> str:
    topicality = page.topicality
    if topicality is None:
        return "below the cut of the search"
    shared = ", ".join(topicality.towards[:3]) or "nothing"
    return f"away: {', '.join(topicality.away[:3]) or 'no words'}; shares: {shared}"


def shorten(text: str, width: int) -> str:
    """Cut a text to a width, with white space made single blanks."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
