"""Self-contained pages inside notebook outputs."""

from html import escape

# Pixels of a page around its figure: margins, a sentence of two lines above, a closed list and the caption below.
AROUND = 300
# Pages shrink a wide figure to the width of the window, but not below this share.
SMALLEST = 0.75


def notebook_frame(page: str, title: str, width: int, height: int) -> str:
    """Return an element that shows a page with a figure of this size in a notebook, also offline and in saved ones.

    The frame is as wide as the notebook, and its height follows that of the figure. The page may run its own scripts,
    but has no access to the notebook.

    >>> notebook_frame('<p title="a">A</p>', "Example", 1200, 800)
    '<iframe srcdoc="&lt;p title=&quot;a&quot;&gt;A&lt;/p&gt;" title="Example" sandbox="allow-scripts" \
style="border: 0; width: 100%; aspect-ratio: 1200 / 1100; min-height: 900px; max-height: 1100px"></iframe>'
    """
    whole, least = height + AROUND, int(height * SMALLEST) + AROUND
    return (
        f'<iframe srcdoc="{escape(page)}" title="{escape(title)}" sandbox="allow-scripts" style="border: 0; '
        f'width: 100%; aspect-ratio: {width} / {whole}; min-height: {least}px; max-height: {whole}px"></iframe>'
    )
