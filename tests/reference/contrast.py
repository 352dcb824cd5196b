"""Contrast of two colours by the Web Content Accessibility Guidelines 2.2, from the definition."""


def contrast(first, second):
    """(L1 + 0.05) / (L2 + 0.05) with L1 the lighter colour's relative luminance: from 1 to 21."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    """0.2126 R + 0.7152 G + 0.0722 B of the linear parts of ``"#rrggbb"`` or of (r, g, b) from 0 to 255."""
    red, green, blue = (linear(part / 255) for part in parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(part):
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def parts(colour):
    if not isinstance(colour, str):
        return tuple(colour)
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
