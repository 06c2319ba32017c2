# SPDX-License-Identifier: Apache-2.0
"""Findings: what is wrong with a model, or worth knowing about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Finding:
    """docs/reference/diagnostics.md explains every id."""

    id: str
    """Such as "AM0410"."""
    severity: str
    """"error", "warning" or "note"."""
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    path: Optional[str] = None
    """The element in the model, such as "swModel/tasks/Control"."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.severity}: {self.message} [{self.id}]"


class Findings(list):  # type: ignore[type-arg]
    """A list of `Finding`."""

    @property
    def errors(self) -> "Findings":
        """Those of severity "error"."""
        return Findings(finding for finding in self if finding.severity == "error")

    def to_frame(self) -> Any:
        """As a pandas.DataFrame, one row per finding."""
        import pandas

        return pandas.DataFrame([vars(finding) for finding in self], columns=list(Finding.__dataclass_fields__))


def findings_of(dicts: list[dict[str, Any]]) -> Findings:
    """From the JSON form."""
    return Findings(
        Finding(one["rule"], one["severity"], one["message"], one["file"], one["line"], one["column"], one["path"])
        for one in dicts
    )


def findings_in(text: str) -> Findings:
    """From JSON with the schema amalthea-findings/1."""
    return findings_of(json.loads(text)["findings"])
