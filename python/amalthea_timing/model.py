# SPDX-License-Identifier: Apache-2.0
"""A model, and what can be done with it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, TypedDict, Union

from . import _core
from .findings import Findings, findings_in
from .pages import list_of
from .results import Distribution, Explanation, Exploration, Results, Trace
from .times import TimeLike, time_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .system import System

Path = Union[str, "os.PathLike[str]"]
Progress = Union[bool, Callable[[float], None], None]
"""True shows progress on a terminal, a callable takes the share that is done, from 0 to 1."""


class Limits(TypedDict, total=False):
    """Limits on input, of `read` and `parse`."""

    max_size: int
    max_depth: int
    max_elements: int
    max_attributes: int
    max_unpacked: int
    max_ratio: int


class Options(TypedDict, total=False):
    """Options of every analysis, as of the command (docs/reference/commands.md)."""

    until: TimeLike
    """Simulated time; by default the hyperperiod."""
    execution: str
    """ "worst", "average" or "best" execution times; "random" for `simulate`. Not for `explore`."""
    platform: Union[Path, dict[str, Path], list[str]]
    """GPU profile: built-in name or JSON file. For one GPU each: {"GPU": "tx2"}."""
    memory: Path
    """Memory model: built-in name or JSON file."""
    line_rule: str
    contention: str
    """ "static" or "dynamic"."""
    mapping: Path
    """A mapping file, such as `Exploration.mapping` written to one."""
    map: Union[dict[str, str], list[str]]
    """Other cores of tasks: {"Control": "Core1"} or {"Control": "Core1:5"} with a priority."""
    chains: list[str]
    """Chains of tasks to analyze, such as "Sense->Plan->Act"."""
    derive_chains: bool
    communication: str
    """ "implicit", "explicit" or "let"."""
    strict: bool
    lenient: bool
    keep_wrappers: bool
    max_steps: int
    max_activities: int
    bounds: str
    """ "quick" or "exact"."""
    bound_states: int
    contributions: int


class TraceOptions(Options, total=False):
    """Those of `Model.compare` and `Model.calibrate`, which have neither `execution` nor `chains`."""

    names: Path
    """A JSON object from patterns of names in the trace to names in the model."""
    columns: str
    """Columns of CSV with any titles, such as ``"name=Kernel,duration=Time (us)"``."""
    from_: TimeLike
    """Measure only jobs activated at this time of the trace or later."""
    to: TimeLike
    """Measure only jobs activated before this time of the trace."""


class ComparisonOptions(TraceOptions, total=False):
    """Those of `Model.compare`, too."""

    runs: int
    """The number of simulated runs to compare with."""
    seed: int
    trace_events: int


class CalibrationOptions(TraceOptions, total=False):
    """Those of `Model.calibrate`, too."""

    form: str
    """ "statistics", "histogram", "gauss" or "beta"."""
    percentile: float
    margin: float
    """Percent to add to the upper bound."""
    isolated: bool
    copies: bool
    stimuli: bool


class AnalysisOptions(Options, total=False):
    """Those of `Model.analyze`, too."""

    headroom: bool
    """Also compute how much execution times, accesses and jitter may grow."""
    certificates: Path
    """The folder that `amalthea certify --check` wrote, to show which bounds Coq has proved."""
    headroom_analyses: int


class SimulationOptions(Options, total=False):
    """Those of `Model.simulate`, too."""

    merge: list[str]
    """Files of parts to join, instead of a simulation."""
    checkpoint: Path
    """A file that keeps what the runs add up to."""
    witness: str
    """A task: searches for releases that make it take long, and simulates them."""


class ReportOptions(AnalysisOptions, total=False):
    """Those of `Model.report`, too."""

    baseline: Path
    """An earlier model, or its results, to compare with."""
    runs: int
    """Also show distributions over so many runs, with random execution times."""
    seed: int
    trace_events: int
    what_ifs: int


class ExplorationOptions(Options, total=False):
    """Those of `Model.explore`, too."""

    compare: list[str]
    """Files of mappings, or of models with the same tasks, to show beside."""
    merge: list[str]
    """Files of parts to join, instead of a search."""
    checkpoint: Path
    """A file that keeps the finished parts of the search."""


def _core_options(options: dict[str, Any]) -> dict[str, Any]:
    known = dict(options)
    for name in ("until", "from_", "to"):
        if known.get(name) is not None:
            known[name] = time_text(known[name])
    if isinstance(known.get("map"), dict):
        known["map"] = [f"{task}={core}" for task, core in known["map"].items()]
    platform = known.get("platform")
    if isinstance(platform, dict):
        known["platform"] = [f"{unit}={os.fspath(profile)}" for unit, profile in platform.items()]
    elif isinstance(platform, (str, os.PathLike)):
        known["platform"] = [os.fspath(platform)]
    for name in ("memory", "mapping", "checkpoint", "baseline", "names", "certificates"):
        if known.get(name) is not None:
            known[name] = os.fspath(known[name])
    return {name: value for name, value in known.items() if value is not None}


class _Line:
    """A line of progress on standard error."""

    def __init__(self) -> None:
        self.start = time.monotonic()

    def __call__(self, share: float) -> None:
        passed = time.monotonic() - self.start
        left = passed * (1 - share) / share if share > 0 else 0
        sys.stderr.write(f"\r\x1b[K{share:.0%}, {left:.0f} s left" if share < 1 else "\r\x1b[K")
        sys.stderr.flush()


def _progress(wanted: Progress) -> Optional[Callable[[float], None]]:
    if callable(wanted):
        return wanted
    show = sys.stderr.isatty() if wanted is None else wanted
    return _Line() if show and sys.stderr.isatty() else None


def _write(files: list[tuple[str, bytes]], path: Path) -> None:
    """Writes the files: one to `path`, several into the folder `path`."""
    target = os.fspath(path)
    if len(files) == 1 and not os.path.isdir(target):
        places = [(target, files[0][1])]
    else:
        os.makedirs(target, exist_ok=True)
        places = [(os.path.join(target, name), content) for name, content in files]
    for place, content in places:
        # As a whole or not at all.
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(place) or ".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise


class Model:
    """An AMALTHEA model. `read` makes one from files, `System` builds one."""

    def __init__(self, core: _core.Model, limits: Optional[Limits] = None) -> None:
        self._core = core
        self._limits: Limits = limits or {}
        self.assumptions: list[str] = []
        """What the table leaves open that `new` made it from; also at the top of its file."""

    @property
    def files(self) -> list[str]:
        """The files that it was read from."""
        return self._core.files

    @property
    def release(self) -> str:
        """The AMALTHEA release, such as "3.3.0"."""
        return self._core.release

    @property
    def hash(self) -> str:
        """ "sha256:…" of the files."""
        return self._core.hash

    @property
    def findings(self) -> Findings:
        """What reading it has found."""
        return findings_in(self._core.findings())

    def summary(self, *, keep_wrappers: bool = False, max_activities: Optional[int] = None) -> dict[str, Any]:
        """What the model contains, as `amalthea info` does."""
        options = {"keep_wrappers": keep_wrappers, "max_activities": max_activities}
        return json.loads(self._core.summary(options))  # type: ignore[no-any-return]

    def content(self) -> dict[str, Any]:
        """The whole model as a dict (`amalthea-model/1`, docs/reference/convert.md)."""
        return json.loads(self.export("json"))  # type: ignore[no-any-return]

    def export(self, format: str, *, table: str = "") -> str:
        """The whole model as "json", "dot", "csv" (of the table "tasks", "runnables", "ticks", "labels" or "mapping"),
        as a "dump" of every object, attribute and reference, one per line, or what a "table" for `new` can say of it."""
        return self._core.export(format, table)

    def validate(self) -> Findings:
        """Checks it for errors, missing timing data and design flaws."""
        return findings_in(self._core.validate())

    def analyze(
        self,
        *,
        trace: bool = False,
        causes: bool = True,
        progress: Progress = None,
        **options: "Unpack[AnalysisOptions]",
    ) -> Results:
        """Simulates the model, bounds response times and judges every limit. `trace` also records the simulation;
        without `causes` it does not search why limits do not hold, which takes most of the time where they do not.

        Raises ModelError if the model has errors, OptionError if an option does not fit. Ctrl-C stops it."""
        found = self._core.analyze(_core_options(options), trace, causes, _progress(progress))
        recorded = Trace(found["trace"], found["tasks"], found["units"]) if trace else None
        return Results(json.loads(found["results"]), found["text"], recorded)

    analyse = analyze

    def simulate(
        self,
        runs: int = 1,
        *,
        seed: Optional[int] = None,
        jobs: Optional[int] = None,
        progress: Progress = None,
        **options: "Unpack[SimulationOptions]",
    ) -> Distribution:
        """Simulates many runs with random execution times. The same seed gives the same result for any number of
        threads (`jobs`)."""
        all_options = {**_core_options(options), "runs": runs}
        if seed is not None:
            all_options["seed"] = seed
        if jobs is not None:
            all_options["jobs"] = jobs
        found = self._core.simulate(all_options, _progress(progress))
        return Distribution(json.loads(found["results"]), found["text"])

    def simulate_part(self, shard: str, runs: int, **options: Any) -> str:
        """The `shard`-th part of the runs, such as "2/10": write it to a file for `merge`."""
        all_options = {**_core_options(options), "runs": runs, "shard": shard}
        return self._core.simulate(all_options, None)["results"]  # type: ignore[no-any-return]

    def explain(
        self, name: str, *, picture: Optional[Path] = None, progress: Progress = None, **options: "Unpack[Options]"
    ) -> Explanation:
        """Why the longest job of a task takes as long as it does, step by step. `name` may be that of a runnable.

        `picture`: an SVG file that also shows it. Raises ModelError if no job of the task has ended."""
        found = self._core.explain(name, _core_options(options), _progress(progress))
        if picture is not None:
            _write([("explanation.svg", found["picture"].encode())], picture)
        return Explanation(json.loads(found["results"]), found["text"])

    def explore(
        self,
        *,
        objectives: Optional[list[str]] = None,
        plan: bool = False,
        keep: Optional[list[str]] = None,
        pins: Optional[dict[str, str]] = None,
        together: Optional[list[list[str]]] = None,
        apart: Optional[list[list[str]]] = None,
        affinity: bool = False,
        candidates: Optional[int] = None,
        search_steps: Optional[int] = None,
        seconds: Optional[float] = None,
        seed: Optional[int] = None,
        jobs: Optional[int] = None,
        solution: int = 1,
        progress: Progress = None,
        **options: "Unpack[ExplorationOptions]",
    ) -> Exploration:
        """Searches for a mapping that meets all deadlines, or for the fewest changes that make limits hold (plan).

        objectives: "response", "load", "changes" or "chain:A->B"; keep: what must not change, such as "offloading";
        pins: the units that tasks may run on, {"Monitor": "Core0|Core1"}; together, apart: tasks that share a unit or
        must not."""
        all_options: dict[str, Any] = {
            **_core_options(options),
            "objectives": objectives,
            "plan": plan,
            "keep": keep,
            "pins": [f"{task}={unit}" for task, unit in pins.items()] if pins else None,
            "together": [",".join(group) for group in together] if together else None,
            "apart": [",".join(group) for group in apart] if apart else None,
            "affinity": affinity,
            "candidates": candidates,
            "search_steps": search_steps,
            "seconds": seconds,
            "seed": seed,
            "jobs": jobs,
            "solution": solution,
        }
        known = {name: value for name, value in all_options.items() if value is not None}
        found = self._core.explore(known, _progress(progress))
        return Exploration(json.loads(found["results"]), **{key: found[key] for key in found if key != "results"})

    def explore_part(self, shard: str, checkpoint: Path, **options: Any) -> None:
        """The `shard`-th part of a search, such as "2/8", which it leaves in the file `checkpoint` for `merge`.
        Options are those of the command."""
        self._core.explore({**_core_options(options), "shard": shard, "checkpoint": os.fspath(checkpoint)}, None)

    def report(self, path: Path, *, progress: Progress = None, **options: "Unpack[ReportOptions]") -> None:
        """Writes an HTML page with verdicts, schedule, chains and findings (docs/reference/report.md)."""
        page = self._core.report(_core_options(options), _progress(progress))["page"]
        _write([("report.html", page.encode())], path)

    def diff(
        self,
        newer: "Model",
        *,
        base: Optional["Model"] = None,
        timing: bool = False,
        progress: Progress = None,
        **options: "Unpack[Options]",
    ) -> dict[str, Any]:
        """What changed from this model to a newer one (docs/reference/diff.md). `timing` also analyzes both.

        base: both are changed versions of this model; the result has the conflicts of a merge."""
        of = base._core if base is not None else None
        found = self._core.diff(newer._core, of, timing, _core_options(options), _progress(progress))
        return json.loads(found["results"])  # type: ignore[no-any-return]

    def graph(
        self,
        format: str = "dot",
        *,
        task: Optional[str] = None,
        keep_wrappers: bool = False,
        max_activities: Optional[int] = None,
        lenient: bool = False,
    ) -> str:
        """The runnable graph of the system, or of one task: "dot", "json" or "svg"."""
        options = {
            "task": task,
            "keep_wrappers": keep_wrappers,
            "max_activities": max_activities,
            "lenient": lenient,
        }
        return self._core.graph(options, format)

    def convert(self, release: str) -> "Model":
        """The model in another AMALTHEA release, such as "2.0.0". Raises ModelError if that release cannot hold it."""
        return parse(self._core.convert({"to": release})["files"])

    def conversion_report(self, release: str, *, places: int = 1000) -> dict[str, Any]:
        """What a conversion changes (`amalthea-conversion/1`, docs/reference/convert.md)."""
        return json.loads(self._core.convert({"to": release, "places": places})["results"])  # type: ignore[no-any-return]

    def annotate(
        self,
        *,
        forms: Iterable[str] = ("properties",),
        detail: str = "full",
        certificates: Optional[Path] = None,
        progress: Progress = None,
        **options: "Unpack[Options]",
    ) -> "Model":
        """The model with the computed timing in it, and nothing else changed (docs/reference/annotation.md)."""
        proofs = {"certificates": certificates}
        all_options = {**_core_options({**options, **proofs}), "forms": list(forms), "detail": detail}
        return parse(self._core.annotate(all_options, _progress(progress))["files"])

    def compare(
        self,
        *traces: Path,
        page: Optional[Path] = None,
        progress: Progress = None,
        **options: "Unpack[ComparisonOptions]",
    ) -> dict[str, Any]:
        """Traces of the real system held against the model (docs/reference/compare.md). `page`: an HTML file that also
        shows the schedules."""
        paths = [os.fspath(trace) for trace in traces]
        found = self._core.compare(paths, page is not None, _core_options(options), _progress(progress))
        if page is not None:
            _write([("compare.html", found["page"].encode())], page)
        return json.loads(found["results"])  # type: ignore[no-any-return]

    def calibrate(
        self, *traces: Path, progress: Progress = None, **options: "Unpack[CalibrationOptions]"
    ) -> "Model":
        """The model with the times that traces show, and nothing else changed (docs/reference/compare.md)."""
        paths = [os.fspath(trace) for trace in traces]
        return parse(self._core.calibrate(paths, _core_options(options), _progress(progress))["files"])

    def calibration_report(self, *traces: Path, **options: "Unpack[CalibrationOptions]") -> str:
        """What `calibrate` changes."""
        paths = [os.fspath(trace) for trace in traces]
        return self._core.calibrate(paths, _core_options(options), None)["text"]  # type: ignore[no-any-return]

    def strip(self) -> "Model":
        """The model without such annotations, byte for byte as it was."""
        return parse(self._core.strip())

    def edit(self) -> "System":
        """Its objects, to be changed. The model itself stays as it is."""
        from .system import System

        return System.of(self)

    def bytes(self) -> list[tuple[str, bytes]]:
        """Name and content of every file."""
        return self._core.bytes()

    def save(self, path: Path) -> None:
        """Writes it to a file, or to a folder if it has several files."""
        _write(self.bytes(), path)

    def __reduce__(self) -> Any:
        return (_restored, (self.bytes(), self._limits))

    def __repr__(self) -> str:
        return f"<Model {', '.join(self.files)} (AMALTHEA {self.release})>"

    def _repr_html_(self) -> str:
        counts = self.summary()["classes"]
        parts = ("Task", "Runnable", "Label", "ProcessingUnit", "EventChain")
        return list_of([
            ("model", ", ".join(self.files)),
            ("AMALTHEA", self.release),
            ("hash", self.hash),
            ("contains", ", ".join(f"{counts[part]} {part}" for part in parts if part in counts)),
            ("findings", f"{len(self.findings)}, {len(self.findings.errors)} of them errors"),
        ])


def read(*paths: Path, **limits: "Unpack[Limits]") -> Model:
    """Reads one model from files, or from a folder. Raises UnreadableError."""
    return Model(_core.Model.read([os.fspath(path) for path in paths], limits), limits)


def parse(files: Union[str, bytes, list[tuple[str, bytes]]], **limits: "Unpack[Limits]") -> Model:
    """The same from memory: the content of a file, or names and contents of several files."""
    if isinstance(files, (str, bytes)):
        files = [("model.amxmi", files.encode() if isinstance(files, str) else files)]
    return Model(_core.Model.parse(files, limits), limits)


def new(
    table: Optional[Path] = None, *, template: Optional[str] = None, from_: Optional[Path] = None
) -> Model:
    """A model from a table of tasks in CSV (docs/reference/table.md), or from a template: "cpu", "gpu", "let" or
    "autosar". from_: a model whose platform is kept. Raises UnreadableError if the table has mistakes."""
    options = {"template": template, "from_": os.fspath(from_) if from_ is not None else None}
    text, assumptions = _core.new_model(os.fspath(table) if table is not None else "", options)
    model = parse(text)
    model.assumptions = assumptions
    return model


def _restored(files: list[tuple[str, bytes]], limits: Limits) -> Model:
    """A model that was pickled."""
    return parse(files, **limits)
