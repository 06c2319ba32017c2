# SPDX-License-Identifier: Apache-2.0
"""Times: integer picoseconds, as text with a unit, and as numbers of seconds."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Union

UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}
"""Picoseconds per unit."""

TimeLike = Union[str, float, int, Fraction, datetime.timedelta, "Time"]
"""A time as "10ms", as a number of seconds, or as a timedelta."""


class Time(float):
    """A time in seconds that also knows its exact value.

    >>> Time(4731896011)
    4.731896011 ms
    >>> Time(4731896011).ms
    4.731896011
    """

    ps: int
    """Picoseconds, exact."""

    def __new__(cls, picoseconds: int) -> "Time":
        time = super().__new__(cls, picoseconds / 10**12)
        time.ps = picoseconds
        return time

    @property
    def ms(self) -> float:
        """Milliseconds."""
        return self.ps / 10**9

    @property
    def us(self) -> float:
        """Microseconds."""
        return self.ps / 10**6

    def __repr__(self) -> str:
        for unit, size in UNITS.items():
            if abs(self.ps) >= size:
                whole = Fraction(self.ps, size)
                digits = f"{float(whole):.12f}".rstrip("0").rstrip(".")
                return f"{digits} {unit}"
        return "0 s"

    __str__ = __repr__

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (Time, (self.ps,))


def picoseconds(time: TimeLike) -> int:
    """The time as an integer; rounded to nearest if it is a number."""
    if isinstance(time, Time):
        return time.ps
    if isinstance(time, datetime.timedelta):
        return (time.days * 86_400 + time.seconds) * 10**12 + time.microseconds * 10**6
    if isinstance(time, str):
        text = time.replace("µ", "u").replace("μ", "u").strip()
        for unit in ("ms", "us", "ns", "ps", "s"):
            if text.endswith(unit):
                try:
                    return round(Fraction(text[: -len(unit)].strip()) * UNITS[unit])
                except ValueError:
                    break
        raise ValueError(f'"{time}": expected a time with a unit, such as "10ms"')
    return round(Fraction(time) * 10**12)


def time_text(time: TimeLike) -> str:
    """As the command takes it: an integer in the largest unit that is exact."""
    value, unit = time_parts(time)
    return f"{value}{unit}"


def time_parts(time: TimeLike) -> tuple[int, str]:
    """An integer and a unit, as AMALTHEA's Time has them."""
    ps = picoseconds(time)
    for unit, size in UNITS.items():
        if ps % size == 0:
            return ps // size, unit
    return ps, "ps"


def scaled(value: str, units: dict[str, int], what: str) -> int:
    """An integer from a text with a unit, such as "64kB" or "1.5GHz"."""
    text = value.strip()
    for unit in sorted(units, key=len, reverse=True):
        if text.endswith(unit):
            try:
                return round(Fraction(text[: -len(unit)].strip()) * units[unit])
            except ValueError:
                break
    raise ValueError(f'"{value}": expected {what}')
