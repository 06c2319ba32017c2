# SPDX-License-Identifier: Apache-2.0
"""Results as objects. Each wraps a part of the JSON form (`.dict`, docs/reference/json.md); times are `Time`, in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Iterator, Optional, TypeVar, Union

from .errors import UnknownNameError
from .findings import Findings, findings_of
from .pages import page_of, table_of
from .times import UNITS, Time

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _time(picoseconds: Optional[int]) -> Optional[Time]:
    return None if picoseconds is None else Time(picoseconds)


# In the JSON form these objects hold figures. In frames and attributes a figure has one word: `wcrt`, `max`, `reaction`.
_HOLDERS = ("bound.", "simulated.", "response.")


def _one_word(column: str) -> str:
    for holder in _HOLDERS:
        if column.startswith(holder):
            return column[len(holder) :]
    return column


def flat(record: dict[str, Any]) -> dict[str, Any]:
    """The figures of a record in one level, times in picoseconds. Keys of inner objects follow a dot, except those of
    `bound`, `simulated` and `response`. Lists are left out, and so are the metrics of a task, which are a table of their
    own."""
    found: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            if key != "metrics":
                inner = {f"{key}.{name}": one for name, one in flat(value).items()}
                found.update({_one_word(name): one for name, one in inner.items() if _one_word(name) not in record})
        elif not isinstance(value, list):
            found[key] = value
    return found


def metrics_of(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One record for each task and metric, such as "StartDelay"."""
    return [
        {"name": task["name"], "metric": metric, **value}
        for task in tasks
        for metric, value in task.get("metrics", {}).items()
        if isinstance(value, dict)
    ]


def frame_of(records: list[dict[str, Any]], unit: str = "ms") -> Any:
    """A pandas.DataFrame with one row per record, indexed by name. `x_ps` becomes `x_ms` for the unit "ms". A column
    without any value is left out."""
    import pandas

    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    frame = pandas.DataFrame([flat(record) for record in records])
    for column in list(frame.columns):
        if frame[column].isna().all():
            del frame[column]
        elif column.endswith("_ps"):
            frame[column] = pandas.to_numeric(frame[column]) / UNITS[unit]
            frame = frame.rename(columns={column: f"{column[:-2]}{unit}"})
    return frame.set_index("name") if "name" in frame else frame


class Entry:
    """A part of the results."""

    def __init__(self, dict_: dict[str, Any]) -> None:
        self.dict = dict_
        """Its JSON form; times are integers in picoseconds."""

    @property
    def name(self) -> str:
        """Its name in the model."""
        return str(self.dict["name"])

    def __repr__(self) -> str:
        verdict = self.dict.get("verdict")
        return f"<{type(self).__name__} {self.name}{': ' + verdict if isinstance(verdict, str) else ''}>"


Item = TypeVar("Item", bound=Entry)


class Entries(Generic[Item]):
    """Entries in their order; `entries["name"]` or `entries[0]`."""

    def __init__(self, entries: list[Item]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._entries)

    def __getitem__(self, key: Union[int, str]) -> Item:
        if isinstance(key, int):
            return self._entries[key]
        for entry in self._entries:
            if entry.name == key:
                return entry
        what = {"TaskResult": "task", "ChainResult": "chain", "ResourceResult": "resource", "Limit": "limit"}
        kind = what.get(type(self._entries[0]).__name__, "entry") if self._entries else "entry"
        raise UnknownNameError(kind, key, [entry.name for entry in self._entries])

    def __contains__(self, name: object) -> bool:
        return any(entry.name == name for entry in self._entries)

    def to_frame(self, unit: str = "ms") -> Any:
        """As a pandas.DataFrame; times in `unit`."""
        return frame_of([entry.dict for entry in self._entries], unit)

    def __repr__(self) -> str:
        return repr(self._entries)

    def _repr_html_(self) -> str:
        return table_of([flat(entry.dict) for entry in self._entries])


class Contribution:
    """A part of a response time."""

    def __init__(self, dict_: dict[str, Any]) -> None:
        self.kind: str = dict_["kind"]
        """ "execution", "preemption", "kernel", …"""
        self.by: Optional[str] = dict_["by"]
        """The task that causes it."""
        self.others: int = dict_.get("others", 0)
        """How many contributions it sums; 0: it is a single one."""
        self.time = Time(dict_["ps"])

    def __repr__(self) -> str:
        by = f"{self.others} others" if self.others else self.by
        return f"{self.kind}{f' by {by}' if by else ''}: {self.time!r}"


class TaskResult(Entry):
    """The timing of a task."""

    @property
    def core(self) -> str:
        """The processing unit that it runs on."""
        return str(self.dict["core"])

    @property
    def period(self) -> Optional[Time]:
        """The time between releases."""
        return _time(self.dict["period_ps"])

    @property
    def deadline(self) -> Optional[Time]:
        """The largest permitted response time."""
        return _time(self.dict["deadline_ps"])

    @property
    def wcrt(self) -> Optional[Time]:
        """The upper bound on the response time, which no job exceeds; None if there is none."""
        return _time(self.dict["bound"]["wcrt_ps"])

    @property
    def bcrt(self) -> Optional[Time]:
        """The lower bound on the response time."""
        return _time(self.dict["bound"]["bcrt_ps"])

    @property
    def simulated(self) -> dict[str, Any]:
        """What the simulation observed: jobs, min_ps, mean_ps, p99_ps, max_ps, missed_deadlines, …"""
        return self.dict.get("simulated") or self.dict["response"]  # type: ignore[no-any-return]

    @property
    def max(self) -> Optional[Time]:
        """The longest simulated response time."""
        return _time(self.simulated["max_ps"])

    @property
    def mean(self) -> Optional[Time]:
        """The mean simulated response time."""
        return _time(self.simulated["mean_ps"])

    @property
    def min(self) -> Optional[Time]:
        """The shortest simulated response time."""
        return _time(self.simulated["min_ps"])

    @property
    def verdict(self) -> str:
        """ "met", "missed", "unbounded", "unknown" or "no deadline"."""
        return str(self.dict["verdict"])

    @property
    def guaranteed(self) -> Optional[bool]:
        """Whether no job can be late; None if neither the bound nor the simulation decides."""
        return self.dict.get("guaranteed")

    @property
    def reason(self) -> str:
        """Why, as a sentence."""
        return str(self.dict.get("reason", ""))

    @property
    def contributions(self) -> list[Contribution]:
        """How the longest simulated job spent its response time."""
        return [Contribution(part) for part in self.dict.get("contributions", [])]

    @property
    def bound_contributions(self) -> list[Contribution]:
        """What the upper bound consists of."""
        return [Contribution(part) for part in self.dict["bound"].get("contributions", [])]


class ChainResult(Entry):
    """The end-to-end latency of a chain of tasks."""

    @property
    def tasks(self) -> list[str]:
        """Their names, in order."""
        return list(self.dict["tasks"])

    @property
    def reaction(self) -> Optional[Time]:
        """The longest simulated reaction time."""
        return _time(self.dict["simulated"]["reaction_ps"])

    @property
    def age(self) -> Optional[Time]:
        """The largest simulated data age."""
        return _time(self.dict["simulated"]["age_ps"])


class ResourceResult(Entry):
    """A core, or an engine of a GPU."""

    @property
    def kind(self) -> str:
        """ "core", "execution engine" or "copy engine"."""
        return str(self.dict["kind"])

    @property
    def utilization(self) -> float:
        """The share of the simulated time in which it is in use; the mean over all runs."""
        value = self.dict["utilization"]
        return float(value["mean"] if isinstance(value, dict) else value)


class Limit(Entry):
    """Something that limits timing, judged."""

    @property
    def kind(self) -> str:
        """ "deadline", "task", "requirement", "latency", "constraint" or "finding"."""
        return str(self.dict["kind"])

    @property
    def verdict(self) -> str:
        """ "guaranteed", "met", "unknown", "unbounded" or "missed"."""
        return str(self.dict["verdict"])

    @property
    def reason(self) -> str:
        """Why, as a sentence."""
        return str(self.dict["reason"])


class Trace:
    """What a simulation did, as numpy arrays; all times are integer picoseconds.

    `intervals` has the columns task, job, release_ps, start_ps, end_ps, state, unit and by. The state of a job does not
    change within an interval. `jobs` has the columns task, job, release_ps and end_ps: the jobs that ended. Tasks, units
    and states are indices into `tasks`, `units` and `states`; -1 stands for none.
    """

    def __init__(self, columns: dict[str, Any], tasks: list[str], units: list[str]) -> None:
        self.intervals: dict[str, Any] = columns["intervals"]
        self.jobs: dict[str, Any] = columns["jobs"]
        self.states: list[str] = columns["states"]
        self.tasks = tasks
        self.units = units

    def responses(self, task: str) -> Any:
        """The response times of the jobs of a task, in the order in which they end, in picoseconds."""
        if task not in self.tasks:
            raise UnknownNameError("task", task, self.tasks)
        mine = self.jobs["task"] == self.tasks.index(task)
        return (self.jobs["end_ps"] - self.jobs["release_ps"])[mine]

    def plot(self, begin: float = 0, end: Optional[float] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """The schedule from `begin` to `end`, in ms, with a lane for each unit. Needs matplotlib."""
        from . import plots

        return plots.schedule(self, begin, end, ax)

    def to_frame(self, what: str = "intervals", unit: str = "ms") -> Any:
        """As a pandas.DataFrame with names in place of indices; `what` is "intervals" or "jobs"."""
        import pandas

        frame = pandas.DataFrame(self.intervals if what == "intervals" else self.jobs)
        for column, names in (("task", self.tasks), ("by", self.tasks), ("unit", self.units), ("state", self.states)):
            if column in frame:
                frame[column] = pandas.Categorical.from_codes(frame[column], _unique(names))
        for column in [name for name in frame.columns if name.endswith("_ps")]:
            frame[column] = frame[column] / UNITS[unit]
            frame = frame.rename(columns={column: f"{column[:-2]}{unit}"})
        return frame


def _unique(names: list[str]) -> list[str]:
    """Categories must differ."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


class _WithVerdict:
    def __init__(self, dict_: dict[str, Any], text: str) -> None:
        self.dict = dict_
        """The JSON form (docs/reference/json.md); times are integers in picoseconds."""
        self.text = text
        """The same for people, as the command prints it."""

    @property
    def verdict(self) -> str:
        """Of the whole model: "guaranteed", "met", "unknown", "unbounded" or "missed"."""
        return str(self.dict["verdict"])

    @property
    def summary(self) -> str:
        """The verdict and its counts, as a sentence."""
        return str(self.dict["summary"])

    @property
    def limits(self) -> Entries[Limit]:
        """Everything that limits timing, with its verdict."""
        return Entries([Limit(one) for one in self.dict["limits"]])

    @property
    def findings(self) -> Findings:
        """What is wrong with the model, or worth knowing about it."""
        return findings_of(self.dict["findings"])

    @property
    def tasks(self) -> Entries[TaskResult]:
        """By name, or in their order."""
        return Entries([TaskResult(one) for one in self.dict["tasks"]])

    @property
    def chains(self) -> Entries[ChainResult]:
        """Event chains of the model, and those that were asked for."""
        return Entries([ChainResult(one) for one in self.dict["chains"]])

    @property
    def resources(self) -> Entries[ResourceResult]:
        """Cores and engines of GPUs."""
        return Entries([ResourceResult(one) for one in self.dict["resources"]])

    def to_frame(self, table: str = "tasks", unit: str = "ms") -> Any:
        """A table of the results as a pandas.DataFrame: "tasks", "chains", "resources", "limits", "requirements", …;
        "metrics" has those of each task. Rows are indexed by name.

        Times are in `unit`; their columns end in it."""
        return frame_of(self._table(table), unit)

    def _table(self, name: str) -> list[dict[str, Any]]:
        if name == "metrics":
            return metrics_of(self.dict["tasks"])
        tables = [key for key, value in self.dict.items() if isinstance(value, list)]
        if name not in tables:
            raise UnknownNameError("table", name, [*tables, "metrics"])
        return self.dict[name]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return page_of(self.summary, self.dict["assumptions"], [flat(task) for task in self.dict["tasks"]])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"


class Results(_WithVerdict):
    """The results of `Model.analyze`."""

    def __init__(self, dict_: dict[str, Any], text: str, trace: Optional[Trace]) -> None:
        super().__init__(dict_, text)
        self.trace = trace
        """The simulation, if it was asked for (`trace=True`)."""

    def plot(self, what: str = "responses", ax: "Optional[Axes]" = None) -> "Axes":
        """A picture: "responses" of tasks beside their deadlines, latencies of "chains", or "headroom" (if it was asked
        for). Needs matplotlib. `trace.plot` draws the schedule."""
        from . import plots

        kinds = {"responses": plots.responses, "chains": plots.chains, "headroom": plots.headroom}
        if what not in kinds:
            raise UnknownNameError("picture", what, kinds)
        return kinds[what](self.dict, ax)


class Distribution(_WithVerdict):
    """The results of `Model.simulate`: response times over many runs.

    Each task's `dict["response"]` has the percentiles and a histogram of its response times."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return int(self.dict["simulation"]["runs"])

    def plot(self, task: str, ax: "Optional[Axes]" = None) -> "Axes":
        """The histogram of the response times of a task. Needs matplotlib."""
        from . import plots

        return plots.distribution(self.tasks[task].dict, ax)


class Explanation:
    """Why a job takes as long as it does."""

    def __init__(self, dict_: dict[str, Any], text: str) -> None:
        self.dict = dict_
        """The JSON form (docs/reference/json.md)."""
        self.text = text
        """The same for people, as the command prints it."""

    def __str__(self) -> str:
        return self.text


class Exploration:
    """The results of `Model.explore`: the best mappings found."""

    def __init__(
        self, dict_: dict[str, Any], text: str, report: str, mapping: str, files: list[tuple[str, bytes]]
    ) -> None:
        self.dict = dict_
        """The JSON form (docs/reference/explore.md)."""
        self.text = text
        """The same for people, as the command prints it."""
        self.report = report
        """The comparison of before, after and other mappings, in Markdown."""
        self.mapping = mapping
        """The chosen mapping as a file for `mapping=` and for `--mapping`."""
        self._files = files

    @property
    def feasible(self) -> bool:
        """Whether the mapping meets every deadline, by its bounds."""
        return bool(self.dict["feasible"])

    def model(self) -> Any:
        """The `Model` with the chosen mapping."""
        from .model import parse

        return parse(self._files)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Exploration: {'feasible' if self.feasible else 'not feasible'}>"
