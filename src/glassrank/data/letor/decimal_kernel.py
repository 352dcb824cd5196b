"""Compiled conversion of decimal text to float64, rounded exactly as by Python's ``float``.

A number m·10^q with m ≤ 2⁵³ and |q| ≤ 22 is one exact multiplication or division. Others with at most 19 digits are
multiplied by a 128-bit power of ten whose error is known: if every value within that error rounds to the same
float64, the rounding is decided. The few that remain, and subnormals, are left to ``float`` itself.
"""

import numpy as np
import numpy.typing as npt

from glassrank.kernels import njit

Bytes = npt.NDArray[np.uint8]

# What the text contains: a number; a number that only ``float`` can round; nan; infinity by name; something else.
DECIDED, UNDECIDED, NAN, INFINITE, MALFORMED = range(5)

MAX_DIGITS = 19  # 10¹⁹ − 1 is below 2⁶⁴
MAX_EXACT_DIGITS = 15  # 10¹⁵ is below 2⁵³
EXACT_POWERS = 10.0 ** np.arange(23)
_MAX_EXACT = np.uint64(2**53)

_MIN_POWER, _MAX_POWER = -330, 308
_MIN_EXPONENT, _MAX_EXPONENT = -1074, 970
_POWERS_OF_TWO = np.ldexp(1.0, np.arange(_MIN_EXPONENT, _MAX_EXPONENT + 1))
_ONE = np.uint64(1)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_NEARLY_CARRIES = np.uint64(2**64 - 2)


def _powers_of_ten() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return high, low and exponent e of each 10^q = (2⁶⁴·high + low + rest)·2^e, 0 ≤ rest < 1, high ≥ 2⁶³."""
    words, exponents = [], []
    for power in range(_MIN_POWER, _MAX_POWER + 1):
        five = 5 ** abs(power)
        size = five.bit_length()
        if power >= 0:
            words.append((five << 128) >> size)
            exponents.append(size - 128 + power)
        else:
            words.append((1 << 127 + size) // five)
            exponents.append(-127 - size + power)
    high = np.array([word >> 64 for word in words], dtype=np.uint64)
    low = np.array([word & (2**64 - 1) for word in words], dtype=np.uint64)
    return high, low, np.array(exponents, dtype=np.int64)


_HIGH, _LOW, _EXPONENT = _powers_of_ten()


@njit(cache=True, nogil=True)
def read_number(text: Bytes, start: int) -> tuple[int, float, int]:
    """Read the number that begins at ``start``; return its kind, its value and the position after it.

    At least one byte must follow the number, such as a line feed at the end of the text.
    """
    negative = text[start] == 45  # -
    first = start + 1 if negative or text[start] == 43 else start  # +
    mantissa, i = _read_digits(text, first, np.uint64(0))
    n_digits = i - first
    power = 0
    if text[i] == 46:  # .
        point = i + 1
        mantissa, i = _read_digits(text, point, mantissa)
        power = point - i
        n_digits -= power
    elif n_digits == 0:
        return _read_word(text, first)
    if n_digits == 0:
        return MALFORMED, 0.0, i
    if text[i] | 32 == 101:  # e, E
        exponent, i = _read_exponent(text, i + 1)
        power += exponent
    if i < 0:
        return MALFORMED, 0.0, start
    if n_digits > MAX_DIGITS:
        n_digits -= _leading_zeros(text, first)
    # A mantissa with more digits has overflowed.
    decided, value = round_decimal(mantissa, power) if n_digits <= MAX_DIGITS else (False, 0.0)
    return DECIDED if decided else UNDECIDED, -value if negative else value, i


@njit(cache=True, nogil=True)
def round_decimal(mantissa: np.uint64, power: int) -> tuple[bool, float]:
    """Round mantissa·10^power to float64; return whether the rounding is certain, and the value."""
    if mantissa <= _MAX_EXACT and -22 <= power <= 22:
        exact = np.float64(np.int64(mantissa))
        return True, exact / EXACT_POWERS[-power] if power < 0 else exact * EXACT_POWERS[power]
    if mantissa == 0:
        return True, 0.0
    if power < _MIN_POWER or power > _MAX_POWER:
        return False, 0.0
    return _round_product(mantissa, power)


@njit(cache=True, nogil=True)
def _round_product(mantissa: np.uint64, power: int) -> tuple[bool, float]:
    """Multiply by 128 bits of 10^power and keep 53 bits, if the neglected part cannot change them."""
    shift = _leading_zero_bits(mantissa)
    factor = mantissa << np.uint64(shift)
    index = power - _MIN_POWER
    high = _multiply_high(factor, _HIGH[index])
    low = factor * _HIGH[index]
    carry = _multiply_high(factor, _LOW[index])
    low += carry
    if low < carry:
        high += _ONE
    # The true product lies between (high, low), inclusive, and (high, low) + 2, exclusive.
    n_dropped = np.uint64(10) + (high >> np.uint64(63))
    half = _ONE << (n_dropped - _ONE)
    rest = high & ((_ONE << n_dropped) - _ONE)
    undecided = (rest == half and low == 0) or (rest == half - _ONE and low >= _NEARLY_CARRIES)
    exponent = np.int64(n_dropped) + 128 - shift + _EXPONENT[index]
    # Below the minimum exponent the result is subnormal and keeps fewer bits; above the maximum it may overflow.
    if undecided or exponent < _MIN_EXPONENT or exponent > _MAX_EXPONENT:
        return False, 0.0
    kept = np.int64(high >> n_dropped) + np.int64(rest >= half)
    return True, np.float64(kept) * _POWERS_OF_TWO[exponent - _MIN_EXPONENT]


@njit(cache=True, nogil=True)
def _multiply_high(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of the product of two 64-bit numbers."""
    half = np.uint64(32)
    a_high, a_low, b_high, b_low = a >> half, a & _LOW_HALF, b >> half, b & _LOW_HALF
    middle = a_high * b_low + (a_low * b_low >> half)
    other = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> half) + (other >> half)


@njit(cache=True, nogil=True)
def _leading_zero_bits(number: np.uint64) -> int:
    count = 0
    step = 32
    while step > 0:
        if number >> np.uint64(64 - step) == 0:
            number <<= np.uint64(step)
            count += step
        step >>= 1
    return count


@njit(cache=True, nogil=True)
def _read_digits(text: Bytes, i: int, mantissa: np.uint64) -> tuple[np.uint64, int]:
    """Append digits to the mantissa, modulo 2⁶⁴; return it and the position after them."""
    while 48 <= text[i] <= 57:
        mantissa = mantissa * np.uint64(10) + np.uint64(text[i] - 48)
        i += 1
    return mantissa, i


@njit(cache=True, nogil=True)
def _leading_zeros(text: Bytes, i: int) -> int:
    """Return the number of zeros before the first other digit, not counting the point."""
    count = 0
    while text[i] == 48 or text[i] == 46:
        if text[i] == 48:
            count += 1
        i += 1
    return count


@njit(cache=True, nogil=True)
def _read_exponent(text: Bytes, i: int) -> tuple[int, int]:
    """Return the value of an exponent and the position after it; the position is -1 if there is no digit."""
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    first = i
    exponent = 0
    while 48 <= text[i] <= 57:
        # The bound prevents overflow; no text has enough digits to compensate for such an exponent.
        exponent = min(exponent * 10 + (text[i] - 48), 10**15)
        i += 1
    return -exponent if negative else exponent, i if i > first else -1


@njit(cache=True, nogil=True)
def _read_word(text: Bytes, start: int) -> tuple[int, float, int]:
    """Read nan, inf or infinity in any case."""
    end = start
    while 97 <= text[end] | 32 <= 122:
        end += 1
    if _is_word(text, start, end, b"nan"):
        return NAN, np.nan, end
    if _is_word(text, start, end, b"inf") or _is_word(text, start, end, b"infinity"):
        return INFINITE, np.inf, end
    return MALFORMED, 0.0, end


@njit(cache=True, nogil=True)
def _is_word(text: Bytes, start: int, end: int, word: bytes) -> bool:
    if end - start != len(word):
        return False
    for offset in range(len(word)):  # noqa: SIM110 - any() over a generator does not compile
        if text[start + offset] | 32 != word[offset]:
            return False
    return True
