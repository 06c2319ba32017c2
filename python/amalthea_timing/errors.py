# SPDX-License-Identifier: Apache-2.0
"""Exceptions. All carry the findings made until then."""

from __future__ import annotations

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
