# SPDX-License-Identifier: Apache-2.0
"""Many variants of a model, analyzed on all cores.

    sweep = at.sweep(model, {"Planner.ticks": range(20_000_000, 30_000_000, 1_000_000), "Planner.core": ["Core0", "Core1"]})
    sweep.to_frame()          # one row per variant
    sweep.to_frame("tasks")   # one row per variant and task
"""

from __future__ import annotations

import html
import itertools
import multiprocessing
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional

from .errors import AmaltheaError, UnknownNameError
from .model import Model, Options, Progress, _core_options, _progress
from .results import frame_of, metrics_of
from .system import System, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

_CHANGES: dict[str, Callable[[System, str, Any], None]] = {
    "ticks": lambda system, name, value: _executes(system, name).set_ticks(value),
    "scale": lambda system, name, value: _executes(system, name).scale_ticks(value),
    "period": lambda system, name, value: system.task(name).set_period(value),
    "deadline": lambda system, name, value: system.task(name).set_deadline(value),
    "priority": lambda system, name, value: system.task(name).set_priority(value),
}


def _executes(system: System, name: str) -> Any:
    """The task of this name, or else the runnable."""
    tasks = {node.attribute("name") for node in system.objects("Task")}
    return system.task(name) if name in tasks else system.runnable(name)


def _set_property(task: Task, key: str, value: str) -> None:
    for old in task.node.children("customProperties"):
        if old.attribute("key") == key:
            old.remove()
    added = task.node.create("customProperties", "CustomProperty")
    added.set("key", key)
    added.create("value", "StringObject").set("value", value)


def _variant(model: Model, values: Mapping[str, Any], options: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """The changed model, and the options of its analysis."""
    changed = dict(options)
    system: Optional[System] = None
    for key, value in values.items():
        property_ = re.fullmatch(r"(.+)\.(gpu\.\w+)", key)
        name, _, what = key.rpartition(".")
        if not name:
            if key not in Options.__annotations__:
                raise UnknownNameError("parameter", key, [*(f"NAME.{one}" for one in (*_CHANGES, "core", "gpu.PROPERTY")),
                                                          *Options.__annotations__])
            changed[key] = value
        elif property_ is None and what == "core":
            changed["map"] = {**(changed.get("map") or {}), name: value}
        else:
            system = system or model.edit()
            if property_ is not None:
                _set_property(system.task(property_[1]), property_[2], str(value))
            elif what in _CHANGES:
                _CHANGES[what](system, name, value)
            else:
                raise UnknownNameError("parameter", key, [f"{name}.{one}" for one in (*_CHANGES, "core", "gpu.PROPERTY")])
    return (model if system is None else system.model()), changed


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """Without lists, which frames do not show."""
    return {
        key: _plain(value) if isinstance(value, dict) else value
        for key, value in record.items()
        if not isinstance(value, list)
    }


def _analyzed(model: Model, values: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """What a sweep keeps of a variant. An error that belongs to the variant is kept, too."""
    try:
        variant, changed = _variant(model, values, options)
        found = variant.analyze(causes=False, **changed).dict
    except AmaltheaError as error:
        if isinstance(error, UnknownNameError):
            raise
        return {"verdict": "failed", "error": str(error)}
    kept: dict[str, Any] = {"verdict": found["verdict"], **found["counts"], "error": None}
    kept["tables"] = {
        key: [_plain(record) for record in value]
        for key, value in found.items()
        if isinstance(value, list) and all(isinstance(record, dict) for record in value)
    }
    return kept


# What a process of the pool works on; it inherits them when it is forked.
_work: Optional[tuple[Model, list[tuple[int, dict[str, Any]]], dict[str, Any]]] = None


def _one(place: int) -> tuple[int, dict[str, Any]]:
    assert _work is not None
    model, variants, options = _work
    return place, _analyzed(model, variants[place][1], options)


class Sweep:
    """The results of `sweep`."""

    def __init__(self, parameters: list[str], variants: list[tuple[int, dict[str, Any]]],
                 results: list[dict[str, Any]]) -> None:
        self.parameters = parameters
        """Their names, in the order in which they were given."""
        self.variants = variants
        """The number and the values of each variant."""
        self._results = results

    def __len__(self) -> int:
        return len(self.variants)

    @property
    def failed(self) -> int:
        """How many variants could not be analyzed; `to_frame` has the reasons in `error`."""
        return sum(result["error"] is not None for result in self._results)

    def to_frame(self, table: str = "variants", unit: str = "ms") -> Any:
        """As a pandas.DataFrame: "variants" has a row for each variant, with its verdict and the number of its limits by
        verdict. Another table of results, such as "tasks" or "chains", has a row for each variant and entry, indexed by
        both."""
        import pandas

        values = pandas.DataFrame([given for _, given in self.variants], columns=self.parameters)
        values.index = pandas.Index([number for number, _ in self.variants], name="variant")
        if table == "variants":
            found = pandas.DataFrame([{key: value for key, value in result.items() if key != "tables"}
                                      for result in self._results], index=values.index)
            return values.join(found.dropna(axis="columns", how="all"))
        records = []
        for (number, _), result in zip(self.variants, self._results):
            tables = result.get("tables")
            if tables is None:
                continue
            if table != "metrics" and table not in tables:
                raise UnknownNameError("table", table, ["variants", *tables, "metrics"])
            rows = metrics_of(tables["tasks"]) if table == "metrics" else tables[table]
            records += [{"variant": number, **row} for row in rows]
        frame = frame_of(records, unit).reset_index()
        # Clashes of names go to the parameter, whose columns come first.
        frame = frame[[column for column in frame.columns if column not in self.parameters]]
        joined = values.join(frame.set_index("variant"), how="inner")
        return joined.set_index("name", append=True) if "name" in joined else joined

    def plot(self, task: str, ax: "Optional[Axes]" = None) -> "Axes":
        """The bound and the longest simulated response of a task over the first parameter, with lines for each
        combination of the others. Needs matplotlib."""
        from . import plots

        return plots.sweep(self, task, ax)

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} variants over {', '.join(self.parameters)}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.to_frame().head(20).to_html()}"


def _shard(text: str) -> tuple[int, int]:
    part = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if part is None or not 1 <= int(part[1]) <= int(part[2]):
        raise ValueError(f'"{text}": expected a part such as "2/10"')
    return int(part[1]), int(part[2])


def sweep(
    model: Model,
    parameters: Mapping[str, Iterable[Any]],
    *,
    jobs: Optional[int] = None,
    shard: Optional[str] = None,
    progress: Progress = None,
    **options: "Unpack[Options]",
) -> Sweep:
    """Analyzes the model with every combination of the values; the last parameter changes fastest.

    A parameter is "NAME.ticks" (worst execution time of a task or runnable), "NAME.scale" (a factor on all its execution
    times), "NAME.period", "NAME.deadline", "NAME.priority", "NAME.core" or a property such as "NAME.gpu.timeslice" of a
    task, or an option of `Model.analyze`, such as "platform".

    jobs: processes, by default one per core. shard: only a part of the variants, such as "2/10", for one of several
    machines; the frames of all parts together are that of the whole. Processes are forked: do not analyze in other
    threads meanwhile."""
    global _work
    names = list(parameters)
    every = enumerate(itertools.product(*(list(parameters[name]) for name in names)))
    part, parts = _shard(shard) if shard is not None else (1, 1)
    variants = [(number, dict(zip(names, values))) for number, values in every if number % parts == part - 1]
    given = dict(options)
    _core_options(given)
    results: list[dict[str, Any]] = [{} for _ in variants]
    if variants:
        _variant(model, variants[0][1], given)  # a wrong name is an error here, not in each variant
    report = _progress(progress)
    workers = min(jobs or len(os.sched_getaffinity(0)), max(1, len(variants)))
    _work = (model, variants, given)
    try:
        if workers == 1:
            found: Iterable[tuple[int, dict[str, Any]]] = map(_one, range(len(variants)))
            _collect(found, results, report)
        else:
            chunk = max(1, min(16, len(variants) // (4 * workers)))
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                _collect(pool.imap_unordered(_one, range(len(variants)), chunk), results, report)
    finally:
        _work = None
    return Sweep(names, variants, results)


def _collect(found: Iterable[tuple[int, dict[str, Any]]], results: list[dict[str, Any]],
             report: Optional[Callable[[float], None]]) -> None:
    for done, (place, result) in enumerate(found, 1):
        results[place] = result
        if report is not None:
            report(done / len(results))
