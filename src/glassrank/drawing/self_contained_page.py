"""Self-contained HTML pages: nothing is loaded from elsewhere; styles for light, dark and print."""

import re
from dataclasses import dataclass
from html import escape

from glassrank.core.wording import UNSEEN, printable
from glassrank.drawing.theme import DARK, FONTS, LIGHT, css_variables

NO_SCRIPT = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
STYLE = f"""
:root {{ color-scheme: light dark; {css_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {css_variables(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--page); color: var(--ink); font: 15px/24px {FONTS};
  font-variant-numeric: tabular-nums; }}
main {{ max-width: 1248px; margin: 0 auto; padding: 32px 24px 64px; }}
h1 {{ font-size: 28px; line-height: 36px; margin: 0 0 8px; overflow-wrap: anywhere; }}
h2 {{ font-size: 20px; line-height: 28px; margin: 0 0 4px; }}
section {{ border-top: 1px solid var(--hair); padding-top: 24px; margin-top: 32px; }}
section:first-of-type {{ border-top: 0; padding-top: 0; margin-top: 16px; }}
p {{ max-width: 760px; margin: 0 0 16px; }}
p.verdict {{ font-size: 18px; line-height: 28px; }}
p.note {{ font-size: 12px; line-height: 18px; color: var(--ink3); }}
a {{ color: var(--a); }}
table {{ border-collapse: collapse; font-size: 13px; line-height: 20px; margin: 0 0 16px; }}
th, td {{ text-align: left; padding: 6px 24px 6px 0; border-bottom: 1px solid var(--hair); vertical-align: top; }}
th {{ color: var(--ink2); font-weight: 600; border-bottom-color: var(--rule); }}
td.number, th.number {{ text-align: right; }}
tr.chosen td {{ font-weight: 600; background: var(--subtle); }}
pre {{ background: var(--subtle); padding: 12px 16px; font-size: 13px; line-height: 20px;
  white-space: pre-wrap; overflow-wrap: anywhere; }}
figure {{ margin: 8px 0 0; overflow-x: auto; }}
figure svg {{ display: block; height: auto; }}
/* A wide picture shrinks to the page, down to 1000 px. Its own margin of 24 of 1400 px lies outside the text. */
figure.wide svg {{ max-width: 101.7%; min-width: 1000px; margin-left: -1.7%; }}
dl.facts {{ display: flex; flex-wrap: wrap; gap: 8px 40px; margin: 0 0 24px; }}
dl.facts dt {{ font-size: 12px; line-height: 18px; color: var(--ink3); }}
dl.facts dd {{ margin: 0; font-weight: 600; }}
:focus-visible {{ outline: 2px solid var(--a); outline-offset: 2px; }}
@media print {{ :root {{ {css_variables(LIGHT)} }} main {{ padding: 0; }}
  section, figure, tr {{ break-inside: avoid; }} h2, h3, summary {{ break-after: avoid; }}
  details::details-content {{ content-visibility: visible; block-size: auto; }}
  figure {{ overflow: visible; }} figure svg, figure.wide svg {{ min-width: 0; max-width: 100%; }} }}
"""


# Scripts and styles; tags and fields, whose values are sent back.
_NOT_SHOWN = re.compile(r"(<(?:script|style)\b.*?</(?:script|style)>)|(<textarea\b.*?</textarea>|<[^>]*>)", re.DOTALL)


def with_all_seen(page: str) -> str:
    """Return HTML with the codes of characters that a reader could not see; the values of fields stay the same.

    >>> print(with_all_seen('<p title="\u202eb">a\u202eb</p>'))
    <p title="&#8238;b">a\\u202eb</p>
    """
    if UNSEEN.search(page) is None:
        return page
    shown, pieces = 0, []
    for piece in _NOT_SHOWN.finditer(page):
        pieces.append(printable(page[shown : piece.start()]))
        pieces.append(piece[1] or UNSEEN.sub(lambda found: f"&#{ord(found[0])};", piece[2]))
        shown = piece.end()
    return "".join([*pieces, printable(page[shown:])])


@dataclass(frozen=True)
class Section:
    """A section of a page: its heading, which may be empty, and its HTML."""

    heading: str
    html: str

    @property
    def anchor(self) -> str:
        """Fragment identifier for links to the section."""
        return self.heading.lower().replace(" ", "-")


def build_page(title: str, sections: list[Section], lead: str = "", *, head: str = "", end: str = "") -> str:
    """Build an HTML document from a title and sections.

    ``lead`` is HTML below the title, ``head`` goes into the head element, and ``end``, for scripts, after the content.
    """
    parts = [_section(section) for section in sections]
    heading = f"<h1>{escape(title)}</h1>{lead}"
    return with_all_seen(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{head}<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{heading}\n" + "\n".join(parts) + f"\n</main>\n{end}</body>\n</html>\n"
    )


def figure(svg: str, caption: str) -> str:
    """Return a picture with its caption; on narrow screens it can be scrolled, also by keyboard."""
    return (
        f'<figure tabindex="0" role="group" aria-label="{escape(caption)}">{svg}</figure>\n'
        f'<p class="note">{escape(caption)}</p>'
    )


def table(head: list[str], rows: list[list[str]], *, numeric: set[int], chosen: int | None = None) -> str:
    """Return a table with right-aligned ``numeric`` columns and a highlighted ``chosen`` row."""
    titles = "".join(
        f'<th scope="col"{_align(place in numeric)}>{escape(name)}</th>' for place, name in enumerate(head)
    )
    body = "".join(_table_row(row, numeric, place == chosen) for place, row in enumerate(rows))
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _table_row(row: list[str], numeric: set[int], chosen: bool) -> str:
    cells = "".join(f"<td{_align(place in numeric)}>{escape(cell)}</td>" for place, cell in enumerate(row))
    opening = '<tr class="chosen">' if chosen else "<tr>"
    return f"{opening}{cells}</tr>"


def _align(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _section(section: Section) -> str:
    heading = f"<h2>{escape(section.heading)}</h2>\n" if section.heading else ""
    opening = f'<section id="{escape(section.anchor)}">' if section.heading else "<section>"
    return f"{opening}\n{heading}{section.html}\n</section>"
