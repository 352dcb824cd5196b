"""Which things that happen while a collection is read are faults of the source, and what helps against them."""

_ANEW = "Copy or download it again, or read with strict=False, which passes it by."
_CORRECT = "Correct or remove it, or read with strict=False, which passes it by."

# Beginning of a kind → remedy. What is not here is no fault: a picture, an error page, what was left out on purpose.
FAULTS: dict[str, str] = {
    "unreadable file": "Check that it exists and may be read, or read with strict=False, which passes it by.",
    "unreadable folder": "Check that it may be read, or read with strict=False, which passes it by.",
    "name outside the archive": _CORRECT,
    "damaged record": _ANEW,
    "damaged response": _ANEW,
    "record without a usable address": _CORRECT,
    "record that is no HTTP response": _CORRECT,
    "content packed by": "Unpack it, or read with strict=False, which passes it by.",
    "empty file": _CORRECT,
    "no HTML (binary)": _CORRECT,
    "page of more than 64 MB": _CORRECT,
    "page nested too deep": _CORRECT,
    "address that an earlier page has": "Keep one of the pages, or read with strict=False, which keeps the first.",
    "page with bytes that its charset does not know": (
        "Declare the right charset, or read with strict=False, which puts � for each such byte."
    ),
    "redirect that leads nowhere": _CORRECT,
    "circle of redirects": "Correct it, or read with strict=False, which keeps the links as they are.",
}


def remedy_of(kind: str) -> str | None:
    """Return what helps against a fault; None for a kind that is none.

    >>> remedy_of("other file (.png)") is None, remedy_of("damaged record (damaged gzip data)")
    (True, 'Copy or download it again, or read with strict=False, which passes it by.')
    """
    return next((remedy for beginning, remedy in FAULTS.items() if kind.startswith(beginning)), None)
