# SPDX-License-Identifier: Apache-2.0
"""The GPU models on their own (`amalthea gpu`), without an AMALTHEA model.

Every function returns the JSON of the command as a dict (docs/reference/gpu.md). Keywords are the options of the
command with `_` in place of `-`: `occupancy(threads=256, registers=32, platform="tx2")`.
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Union

from . import _core

Scenario = Union[str, "os.PathLike[str]", dict]
"""A JSON file, or its content."""


def _answer(verb: str, arguments: list[str], options: dict[str, Any], text: Optional[str] = None) -> dict[str, Any]:
    return json.loads(_core.gpu(verb, arguments, text, options))  # type: ignore[no-any-return]


def _answer_on(verb: str, scenario: Scenario, options: dict[str, Any]) -> dict[str, Any]:
    if isinstance(scenario, dict):
        return _answer(verb, ["scenario"], options, json.dumps(scenario))
    return _answer(verb, [os.fspath(scenario)], options)


def run(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Simulates contexts, streams, queues and blocks of a GPU."""
    return _answer_on("run", scenario, options)


def occupancy(threads: int, **options: Any) -> dict[str, Any]:
    """The blocks that fit on an SM, and the resource that limits them. Options: registers, shared_memory, platform."""
    return _answer("occupancy", [], {"threads": threads, **options})


def place(*streams: str, **options: Any) -> dict[str, Any]:
    """Which SM runs which block of several streams: `place("4x5", "8x2", platform="tx2")`."""
    return _answer("place", list(streams), options)


def study_placement(**options: Any) -> dict[str, Any]:
    """How often round robin predicts the wrong SM for a block, on random configurations."""
    return _answer("study_placement", [], options)


def study_order(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """The launch order in which the independent operations of a scenario end first."""
    return _answer_on("study_order", scenario, options)


def study_policies(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Ways to share a GPU beside each other, for a scenario or a model file: `study_policies(path, vary=["slices"])`."""
    return _answer_on("study_policies", scenario, options)


def rta(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Response times of kernels on one execution engine."""
    return _answer_on("rta", scenario, options)


def bounds(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Bounds on the response times of processes that share a GPU in time slices."""
    return _answer_on("bounds", scenario, options)


def makespan(**options: Any) -> dict[str, Any]:
    """The longest execution time of the warps of a kernel on an SM: `makespan(kernel="5L 9C 2L 9C", warps=4)`."""
    return _answer("makespan", [], options)


def warps(**options: Any) -> dict[str, Any]:
    """The warp schedulers of an SM, cycle by cycle: `warps(latencies="2,1,int32:2,memory:20", warps=4)`."""
    return _answer("warps", [], options)


def interference(**options: Any) -> dict[str, Any]:
    """The slowdown of a kernel by other kernels and by CPUs that access memory."""
    return _answer("interference", [], options)


def partition(**options: Any) -> dict[str, Any]:
    """Response times of kernels under CU masks of an AMD GPU: `partition(kernel="mm1024", against="mm256")`."""
    return _answer("partition", [], options)
