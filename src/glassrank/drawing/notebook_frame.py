"""Self-contained pages inside notebook outputs."""

from html import escape


def notebook_frame(page: str, title: str, height: int) -> str:
    """Return an element that shows a page inside a notebook, which works offline and in saved notebooks.

    The page may run its own scripts, but has no access to the notebook.

    >>> notebook_frame('<p title="a">A</p>', "Example", 80)
    '<iframe srcdoc="&lt;p title=&quot;a&quot;&gt;A&lt;/p&gt;" title="Example" sandbox="allow-scripts" width="100%" \
height="80" style="border: 0"></iframe>'
    """
    return (
        f'<iframe srcdoc="{escape(page)}" title="{escape(title)}" sandbox="allow-scripts" width="100%" '
        f'height="{height}" style="border: 0"></iframe>'
    )
