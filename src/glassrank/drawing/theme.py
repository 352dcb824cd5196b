"""The colours of pages and pictures, in light and dark themes."""

from dataclasses import dataclass, fields

# Only fonts of operating systems or of the renderer: nothing is downloaded.
FONTS = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif"


@dataclass(frozen=True)
class Theme:
    """Colours by use; text colours reach a contrast of 4.5:1 against ``page``."""

    page: str
    subtle: str
    ink: str
    ink2: str
    ink3: str
    line: str
    mark: str
    rule: str
    hair: str
    a: str
    """Document A, links and focus; in charts without two documents, authorities."""
    b: str
    """Document B; in charts without two documents, hubs."""
    tint_a: str
    tint_b: str


LIGHT = Theme(
    page="#FFFFFF",
    subtle="#F5F7F9",
    ink="#17202B",
    ink2="#46525F",
    ink3="#5B6773",
    line="#5B6875",
    mark="#7F8C99",
    rule="#BCC5CE",
    hair="#E3E8EC",
    a="#0B669F",
    b="#AD480E",
    tint_a="#DBE9F4",
    tint_b="#F7E3D6",
)

DARK = Theme(
    page="#10151B",
    subtle="#171E26",
    ink="#E9EEF3",
    ink2="#B9C4CE",
    ink3="#97A4B1",
    line="#8C9AA8",
    mark="#6B7987",
    rule="#3F4B57",
    hair="#26303A",
    a="#62B5EC",
    b="#F0965F",
    tint_a="#15354C",
    tint_b="#472A1A",
)

# Pictures inside a page use the page's CSS variables and thus follow its light or dark scheme.
PAGE = Theme(**{field.name: f"var(--{field.name.replace('_', '-')})" for field in fields(Theme)})

THEMES = {"light": LIGHT, "dark": DARK}


def css_variables(theme: Theme) -> str:
    """Return declarations such as ``--ink: #17202B;`` for a style sheet."""
    return " ".join(f"--{field.name.replace('_', '-')}: {getattr(theme, field.name)};" for field in fields(Theme))
