"""Settings of the features besides the data, which must be the same for training and prediction."""

from dataclasses import dataclass

from glassrank.core.checks import DataError
from glassrank.core.setting import setting

BARE, LITERAL = "bare", "literal"
URLMR = (BARE, LITERAL)
"""What ``urlmr`` compares: query without spaces and address without scheme and ``www.``, or both as they are."""


@dataclass(frozen=True)
class FeatureSettings:
    """Language of the queries and trusted hosts, None if not given, and the form of ``urlmr``.

    >>> FeatureSettings("en").agreed(None, None)
    FeatureSettings(language='en', trusted_hosts=None, urlmr='bare')
    """

    language: str | None = None
    trusted_hosts: tuple[str, ...] | None = None
    urlmr: str = BARE

    def agreed(
        self, language: str | None, trusted_hosts: tuple[str, ...] | None, urlmr: str | None = None
    ) -> "FeatureSettings":
        """Return these settings; different ones are an error, because the features would have another meaning."""
        for name, own, asked in (
            ("language", self.language, language),
            ("trusted_hosts", _listed(self.trusted_hosts), _listed(trusted_hosts)),
            ("urlmr", self.urlmr, urlmr),
        ):
            if asked is not None and asked != own:
                trained = f"with {setting(name)} {own}" if own is not None else f"without {setting(name)}"
                raise DataError(
                    f"The model was trained {trained}: got {asked}.",
                    parameter=name,
                    expected=own,
                    got=asked,
                    remedy=f"Leave {setting(name)} out, because the model has its own, or train another model.",
                )
        return self


def _listed(hosts: tuple[str, ...] | None) -> str | None:
    """Hosts in sorted order, because only the set matters."""
    return None if hosts is None else ", ".join(sorted(set(hosts)))
