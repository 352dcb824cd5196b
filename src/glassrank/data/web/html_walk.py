"""One walk over the tree of a page that collects everything a collection stores about it."""

import re
from collections.abc import Callable
from typing import Any

# Their content is never shown. Elements of the head are handled one by one.
HIDDEN_TAGS = frozenset(
    {
        *("script", "style", "noscript", "template", "iframe", "noframes", "noembed"),
        *("canvas", "audio", "video", "datalist", "annotation"),
    }
)
# The edges of these elements separate words.
_BLOCK_TAGS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "button", "caption", "center", "dd", "details"),
        *("dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"),
        *("h4", "h5", "h6", "header", "hr", "img", "input", "legend", "li", "main", "menu", "nav", "object", "ol"),
        *("optgroup", "option", "p", "pre", "section", "select", "summary", "table", "tbody", "td", "textarea"),
        *("tfoot", "th", "thead", "tr", "ul"),
    }
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3}
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))
_TEXT_INPUT_TYPES = frozenset(("", "text", "password", "search", "email", "url", "tel", "number"))


class PageWalk:
    """Results of a walk over the nodes of a page, which enters and leaves elements in document order."""

    def __init__(self, dropped: frozenset[int] = frozenset()) -> None:
        self._dropped = dropped
        self.title = self.text = self.language = self.base = ""
        self.meta: dict[str, str] = {}
        self.links: list[tuple[str, str, bool]] = []
        self.headings: list[tuple[int, str]] = []
        self.n_link_words = self.n_images = self.n_hidden = 0
        self.has_form = False
        self._pieces: list[str] = []
        # Open elements that matter when they close: depth, action on closing, and what was noted on opening.
        self._open: list[tuple[Any, str, Any]] = []
        self._hidden_depth = self._form_depth = self._svg_depth = self._link_depth = 0
        self._hidden: list[str] = []
        self._link_text: list[str] = []
        self._has_title = False

    def over(self, root: Any) -> None:
        """Walk over a tree without recursion, because pages can nest deeper than Python's stack."""
        node, depth = root, 0
        while True:
            is_text = node.is_text_node
            if is_text:
                self._add_text(node.text_content)
            elif self._enter(node, depth) and (child := node.first_child) is not None:
                node, depth = child, depth + 1
                continue
            while True:
                if not is_text:
                    self._leave(node, depth)
                is_text = False
                following = node.next if depth else None
                if following is not None:
                    node = following
                    break
                if depth == 0:
                    self._finish()
                    return
                node, depth = node.parent, depth - 1

    def _enter(self, node: Any, depth: int) -> bool:
        """Process an element; return False if its content is to be skipped."""
        # A processing instruction such as <?php … ?> has no tag.
        tag = node.tag or "-"
        if tag in HIDDEN_TAGS or tag.startswith(("-", "!")) or (self._dropped and node.mem_id in self._dropped):
            return False
        if tag in _BLOCK_TAGS:
            self._add_text(" ")
        attributes = node.attributes
        if attributes and self._is_hidden(attributes):
            self._hidden_depth += 1
            self._open.append((depth, "hidden", None))
        entered = _ENTERED.get(tag)
        return entered(self, node, attributes, depth) is not False if entered else True

    def _leave(self, node: Any, depth: int) -> None:
        if node.tag in _BLOCK_TAGS:
            self._add_text(" ")
        while self._open and self._open[-1][0] == depth:
            _, what, noted = self._open.pop()
            _LEFT[what](self, noted)

    def _add_text(self, text: str) -> None:
        if self._hidden_depth:
            self._hidden.append(text)
        else:
            self._pieces.append(text)
            if self._link_depth:
                self._link_text.append(text)
        for _, what, noted in self._open:
            if what == "link" or (what == "heading" and not self._hidden_depth):
                noted[0].append(text)

    def _is_hidden(self, attributes: dict[str, str | None]) -> bool:
        return "hidden" in attributes or bool(_HIDING.search(attributes.get("style") or ""))

    def _finish(self) -> None:
        self.text = " ".join("".join(self._pieces).split())
        self.n_hidden = len(" ".join("".join(self._hidden).split()))
        self.n_link_words = len("".join(self._link_text).split())

    def _enter_html(self, node: Any, attributes: Any, depth: int) -> None:
        self.language = attributes.get("lang") or attributes.get("xml:lang") or ""

    def _enter_title(self, node: Any, attributes: Any, depth: int) -> bool:
        # In an SVG drawing a title is a tooltip.
        if not self._svg_depth and not self._has_title:
            self._has_title = True
            self.title = " ".join(node.text().split())
        return False

    def _enter_meta(self, node: Any, attributes: Any, depth: int) -> None:
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or ""
        self.meta.setdefault(name.strip().lower(), attributes.get("content") or "")

    def _enter_base(self, node: Any, attributes: Any, depth: int) -> None:
        self.base = self.base or attributes.get("href") or ""

    def _enter_link(self, node: Any, attributes: Any, depth: int) -> None:
        href = attributes.get("href")
        if href is not None:
            self._link_depth += 1
            nofollow = not _NOFOLLOW.isdisjoint((attributes.get("rel") or "").lower().split())
            # Links are listed in the order in which they open.
            self.links.append((href, "", nofollow))
            self._open.append((depth, "link", ([], [], len(self.links) - 1)))

    def _leave_link(self, noted: tuple[list[str], list[str], int]) -> None:
        self._link_depth -= 1
        self._link_text.append(" ")
        texts, alternatives, place = noted
        anchor = " ".join("".join(texts).split()) or " ".join(" ".join(alternatives).split())
        href, _, nofollow = self.links[place]
        self.links[place] = (href, anchor, nofollow)

    def _enter_area(self, node: Any, attributes: Any, depth: int) -> None:
        href = attributes.get("href")
        if href is not None:
            nofollow = not _NOFOLLOW.isdisjoint((attributes.get("rel") or "").lower().split())
            self.links.append((href, " ".join((attributes.get("alt") or "").split()), nofollow))

    def _enter_heading(self, node: Any, attributes: Any, depth: int) -> None:
        self._open.append((depth, "heading", ([], _HEADINGS[node.tag])))

    def _leave_heading(self, noted: tuple[list[str], int]) -> None:
        text = " ".join("".join(noted[0]).split())
        if text:
            self.headings.append((noted[1], text))

    def _enter_image(self, node: Any, attributes: Any, depth: int) -> None:
        self.n_images += 1
        for _, what, noted in self._open:
            if what == "link":
                noted[1].append(attributes.get("alt") or "")

    def _enter_form(self, node: Any, attributes: Any, depth: int) -> None:
        self._form_depth += 1
        self._open.append((depth, "form", None))

    def _enter_field(self, node: Any, attributes: Any, depth: int) -> None:
        kind = "" if node.tag == "textarea" else (attributes.get("type") or "").strip().lower()
        if self._form_depth and kind in _TEXT_INPUT_TYPES:
            self.has_form = True

    def _enter_svg(self, node: Any, attributes: Any, depth: int) -> None:
        self._svg_depth += 1
        self._open.append((depth, "svg", None))

    def _leave_hidden(self, noted: None) -> None:
        self._hidden_depth -= 1

    def _leave_form(self, noted: None) -> None:
        self._form_depth -= 1

    def _leave_svg(self, noted: None) -> None:
        self._svg_depth -= 1


_ENTERED: dict[str, Callable[[PageWalk, Any, Any, int], bool | None]] = {
    "html": PageWalk._enter_html,
    "title": PageWalk._enter_title,
    "meta": PageWalk._enter_meta,
    "base": PageWalk._enter_base,
    "a": PageWalk._enter_link,
    "area": PageWalk._enter_area,
    "img": PageWalk._enter_image,
    "form": PageWalk._enter_form,
    "input": PageWalk._enter_field,
    "textarea": PageWalk._enter_field,
    "svg": PageWalk._enter_svg,
    **dict.fromkeys(_HEADINGS, PageWalk._enter_heading),
}
_LEFT: dict[str, Callable[[PageWalk, Any], None]] = {
    "hidden": PageWalk._leave_hidden,
    "link": PageWalk._leave_link,
    "heading": PageWalk._leave_heading,
    "form": PageWalk._leave_form,
    "svg": PageWalk._leave_svg,
}
