# SPDX-License-Identifier: Apache-2.0
"""Exceptions. All carry the findings made until then."""

from __future__ import annotations

import difflib
from typing import Iterable

from .findings import Findings, findings_in


class AmaltheaError(Exception):
    """Any failure of the analysis."""

    findings: Findings

    def __init__(self, message: str, findings: str = "") -> None:
        super().__init__(message)
        self.findings = findings_in(findings) if findings else Findings()


class UnreadableError(AmaltheaError):
    """The files are not an AMALTHEA model."""


class ModelError(AmaltheaError):
    """The model has errors, or cannot be analyzed."""


class OptionError(AmaltheaError, ValueError):
    """An option is invalid, or does not fit the model."""


class UnknownNameError(AmaltheaError, KeyError):
    """Nothing has this name. The message says what there is."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = list(dict.fromkeys(known))
        near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        there = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        super().__init__(f'no {what} "{name}"{hint} (there is: {there or "none"})')

    def __str__(self) -> str:
        return str(self.args[0])
