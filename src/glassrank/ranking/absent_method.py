"""Methods that some settings of an estimator do not have, with the reason in the error."""

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
    """Decorate a method to be absent while ``reason(model)`` says why; scikit-learn's ``available_if`` keeps quiet.

    >>> class Cup:
    ...     full = False
    ...     @absent_if(lambda cup: None if cup.full else "An empty cup has nothing to drink: fill it first.")
    ...     def drink(self):
    ...         return "ah"
    >>> hasattr(Cup(), "drink")
    False
    """

    def decorate(function: Method) -> Method:
        # A type checker cannot follow settings: to it the method is always there, with its signature.
        return cast(Method, _AbsentMethod(function, reason))

    return decorate
