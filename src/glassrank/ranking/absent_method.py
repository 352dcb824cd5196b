"""Methods that an estimator does not have with some settings, and an error that gives the reason."""

from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])
Reason = Callable[[Any], str | None]


class _AbsentMethod:
    """A method that raises AttributeError(reason) when looked up, so that ``hasattr`` is False."""

    def __init__(self, function: Callable[..., Any], reason: Reason) -> None:
        self._function, self._reason = function, reason
        self.__doc__ = function.__doc__

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is not None:
            self._check(model)
            return MethodType(self._function, model)

        @wraps(self._function)
        def checked(model: Any, *args: Any, **named: Any) -> Any:
            self._check(model)
            return self._function(model, *args, **named)

        return checked

    def _check(self, model: Any) -> None:
        reason = self._reason(model)
        if reason is not None:
            raise AttributeError(reason)


def absent_if(reason: Reason) -> Callable[[Method], Method]:
    """Hide a method as long as ``reason(model)`` returns a text; unlike ``available_if``, the error gives the reason.

    >>> class Model:
    ...     cv = None
    ...     @absent_if(lambda model: None if model.cv else "predict_proba needs cv: set it and refit.")
    ...     def predict_proba(self):
    ...         return 0.5
    >>> hasattr(Model(), "predict_proba")
    False
    """

    def decorate(function: Method) -> Method:
        # A type checker does not know the settings: for it the method always exists, with its signature.
        return cast(Method, _AbsentMethod(function, reason))

    return decorate
