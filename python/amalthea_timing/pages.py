# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of models and results: tables in HTML, without pandas."""

from __future__ import annotations

from html import escape
from typing import Any

from .times import UNITS

_COLUMNS = ("name", "core", "period_ps", "deadline_ps", "min_ps", "mean_ps", "p99_ps", "max_ps", "wcrt_ps", "reaction_ps",
            "age_ps", "kind", "utilization", "demand", "verdict", "reason")
_MOST_ROWS = 100


def table_of(records: list[dict[str, Any]]) -> str:
    """The columns that people ask for first; times in ms. At most 100 rows."""
    columns = [name for name in _COLUMNS if any(record.get(name) is not None for record in records)]
    head = "".join(f"<th>{escape(_title(name))}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(name, record.get(name)))}</td>" for name in columns) + "</tr>"
        for record in records[:_MOST_ROWS]
    )
    rest = f"<p>{len(records) - _MOST_ROWS} more</p>" if len(records) > _MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def page_of(summary: str, assumptions: list[dict[str, Any]], tasks: list[dict[str, Any]]) -> str:
    """The verdict, what it assumes, and the tasks."""
    assumed = "".join(f"<li>{escape(one['text'])}</li>" for one in assumptions)
    return f"<p><b>{escape(summary)}</b></p>{f'<p>Assumed:</p><ul>{assumed}</ul>' if assumed else ''}{table_of(tasks)}"


def list_of(lines: list[tuple[str, str]]) -> str:
    """A table of two columns."""
    return "<table>" + "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in lines) + "</table>"


def _title(column: str) -> str:
    return f"{column[:-3]} ms" if column.endswith("_ps") else column


def _cell(column: str, value: Any) -> str:
    if value is None:
        return "–"
    if column.endswith("_ps"):
        return f"{value / UNITS['ms']:.6g}"
    return f"{value:.1%}" if column in ("utilization", "demand") and isinstance(value, float) else str(value)
