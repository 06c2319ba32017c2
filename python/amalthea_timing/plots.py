# SPDX-License-Identifier: Apache-2.0
"""Pictures of results with matplotlib. `Results.plot`, `Distribution.plot`, `Trace.plot` and `Sweep.plot` call these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .times import UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .results import Trace
    from .sweeps import Sweep

# Of Okabe and Ito: they differ for the color-blind, too.
BOUND, SEEN, LATE, LIMIT = "#9ecae1", "#0072b2", "#d55e00", "black"


def axes_of(ax: "Optional[Axes]", rows: int = 0) -> "Axes":
    """The axes, or those of a new figure that is high enough for the rows."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("pictures need matplotlib (apt-get install python3-matplotlib)") from missing
    return pyplot.subplots(figsize=(8, max(3.0, 0.3 * rows + 1)), layout="constrained")[1]


def _ms(picoseconds: Optional[int]) -> Optional[float]:
    return None if picoseconds is None else picoseconds / UNITS["ms"]


def _bars(ax: "Axes", names: list[str], bounds: list[Optional[float]], seen: list[Optional[float]],
          limits: list[Optional[float]], late: list[bool]) -> None:
    """For each name the bound behind what the simulation saw, and its limit as a line."""
    places = range(len(names))
    ax.barh(places, [bound or 0 for bound in bounds], 0.8, color=BOUND, label="upper bound")
    ax.barh(places, [value or 0 for value in seen], 0.4, color=[LATE if one else SEEN for one in late],
            label="longest simulated")
    if any(late):
        ax.plot([], [], color=LATE, linewidth=6, label="longest simulated, missed or unbounded")
    limited = [(place, limit) for place, limit in zip(places, limits) if limit is not None]
    if limited:
        ax.vlines([limit for _, limit in limited], [place - 0.45 for place, _ in limited],
                  [place + 0.45 for place, _ in limited], color=LIMIT, label="limit")
    for place, bound in zip(places, bounds):
        if bound is None:
            ax.annotate(" no bound", (seen[place] or 0, place), va="center")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlabel("ms")
    ax.legend()


def responses(results: dict[str, Any], ax: "Optional[Axes]" = None) -> "Axes":
    """The bound and the longest simulated response time of each task, and its deadline."""
    tasks = results["tasks"]
    ax = axes_of(ax, len(tasks))
    _bars(ax, [task["name"] for task in tasks], [_ms(task["bound"]["wcrt_ps"]) for task in tasks],
          [_ms(task["simulated"]["max_ps"]) for task in tasks], [_ms(task["deadline_ps"]) for task in tasks],
          [task["verdict"] in ("missed", "unbounded") for task in tasks])
    ax.set_title("Response times")
    return ax


def chains(results: dict[str, Any], ax: "Optional[Axes]" = None) -> "Axes":
    """The bound and the longest simulated reaction time of each chain."""
    all_chains = results["chains"]
    communication = results["analysis"]["communication"]
    ax = axes_of(ax, len(all_chains))
    bounds = [_ms((chain.get(communication) or {}).get("reaction_ps")) for chain in all_chains]
    seen = [_ms(chain["simulated"]["reaction_ps"]) for chain in all_chains]
    _bars(ax, [chain["name"] for chain in all_chains], bounds, seen, [None] * len(all_chains), [False] * len(all_chains))
    ax.set_title(f"Reaction times of chains, {communication} communication")
    return ax


def headroom(results: dict[str, Any], ax: "Optional[Axes]" = None) -> "Axes":
    """By how many percent execution times and jitter may grow before the first limit breaks."""
    if not results.get("headroom"):
        raise ValueError("these results have no headroom; analyze with headroom=True")
    parts = [part for part in results["headroom"]["of"] if part["kind"] not in ("jitter", "stimulus")]
    ax = axes_of(ax, len(parts))
    places = range(len(parts))
    for key, height, color, label in (("seen", 0.8, BOUND, "seen"), ("guaranteed", 0.4, SEEN, "guaranteed")):
        values = [(part[key] or {}).get("holds_percent") for part in parts]
        ax.barh(places, [value or 0 for value in values], height, color=color, label=label)
    ax.set_yticks(places, [f"{part['kind']} {part['name'] or ''}".strip() for part in parts])
    ax.invert_yaxis()
    ax.set_xlabel("may grow by, %")
    ax.set_title("Headroom")
    ax.legend()
    return ax


def distribution(task: dict[str, Any], ax: "Optional[Axes]" = None) -> "Axes":
    """The histogram of the response times of a task in many runs, and its deadline."""
    ax = axes_of(ax)
    bars = task["response"].get("histogram") or []
    left = [bar["lower_ps"] / UNITS["ms"] for bar in bars]
    widths = [(bar["upper_ps"] - bar["lower_ps"]) / UNITS["ms"] for bar in bars]
    ax.bar(left, [bar["jobs"] for bar in bars], widths, align="edge", color=SEEN)
    if task["deadline_ps"] is not None:
        ax.axvline(task["deadline_ps"] / UNITS["ms"], color=LIMIT, label="deadline")
        ax.legend()
    ax.set_xlabel("response time, ms")
    ax.set_ylabel("jobs")
    ax.set_title(task["name"])
    return ax


def schedule(trace: "Trace", begin: float = 0, end: Optional[float] = None, ax: "Optional[Axes]" = None) -> "Axes":
    """What runs on each unit, with a color for each task."""
    frame = trace.to_frame()
    frame = frame[frame["state"].isin(["running", "polling"]) & (frame["end_ms"] > begin)]
    if end is not None:
        frame = frame[frame["start_ms"] < end]
    units = [unit for unit in frame["unit"].cat.categories if unit in set(frame["unit"].dropna())]
    ax = axes_of(ax, len(units))
    from matplotlib import colormaps

    colors = colormaps["tab20"].colors
    for number, task in enumerate(task for task in frame["task"].cat.categories if task in set(frame["task"])):
        mine = frame[frame["task"] == task]
        for unit in mine["unit"].dropna().unique():
            here = mine[mine["unit"] == unit]
            ax.broken_barh(list(zip(here["start_ms"], here["end_ms"] - here["start_ms"])), (units.index(unit) - 0.4, 0.8),
                           color=colors[(2 * number + number // 10) % 20], label=task)
    ax.set_yticks(range(len(units)), units)
    ax.set_xlim(begin, end)
    ax.invert_yaxis()
    ax.set_xlabel("ms")
    by_task = dict(zip(*reversed(ax.get_legend_handles_labels())))
    if by_task:
        ax.legend(by_task.values(), by_task.keys(), fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def sweep(results: "Sweep", task: str, ax: "Optional[Axes]" = None) -> "Axes":
    """The bound and the longest simulated response of a task over the first parameter."""
    frame = results.to_frame("tasks").xs(task, level="name")
    first, *others = results.parameters
    ax = axes_of(ax)
    combinations = list(frame[others].drop_duplicates().itertuples(index=False, name=None))
    for number, values in enumerate(combinations):
        group = frame[(frame[others] == list(values)).all(axis="columns")]
        label = ", ".join(f"{name} {value}" for name, value in zip(others, values))
        color = f"C{number % 10}"
        for column, line, what in (("wcrt_ms", "-", "bound"), ("max_ms", ":", "longest simulated")):
            if column in group:
                ax.plot(group[first], group[column], line, marker=".", color=color, label=f"{what} {label}".strip())
    if "deadline_ms" in frame:
        ax.plot(frame[first], frame["deadline_ms"], color=LIMIT, linewidth=1, label="deadline")
    ax.set_xlabel(first)
    ax.set_ylabel("ms")
    ax.set_title(task)
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return ax
