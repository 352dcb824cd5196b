"""What features depend on beside the data: a model must be asked with what it was trained with."""

from dataclasses import dataclass

from glassrank.core.checks import DataError
from glassrank.core.setting import setting


@dataclass(frozen=True)
class FeatureSettings:
    """Language of the queries and hosts that trust flows from; None where none was given.

    >>> FeatureSettings("en").agreed(None, None)
    FeatureSettings(language='en', trusted_hosts=None)
    """

    language: str | None = None
    trusted_hosts: tuple[str, ...] | None = None

    def agreed(self, language: str | None, trusted_hosts: tuple[str, ...] | None) -> "FeatureSettings":
        """These settings, unless others are asked for: that is an error, for the features would mean something else."""
        for name, own, asked in (
            ("language", self.language, language),
            ("trusted_hosts", _listed(self.trusted_hosts), _listed(trusted_hosts)),
        ):
            if asked is not None and asked != own:
                trained = f"with {setting(name)} {own}" if own is not None else f"without {setting(name)}"
                raise DataError(
                    f"The model was trained {trained}: got {asked}.",
                    parameter=name,
                    expected=own,
                    got=asked,
                    remedy=f"Leave {setting(name)} out, for the model knows its own, or train another model.",
                )
        return self


def _listed(hosts: tuple[str, ...] | None) -> str | None:
    """Hosts in one order, for it is their set that counts."""
    return None if hosts is None else ", ".join(sorted(set(hosts)))
