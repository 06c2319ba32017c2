# SPDX-License-Identifier: Apache-2.0
"""The GPU models on their own (`amalthea gpu`), without an AMALTHEA model.

Every function returns the JSON of the command as a dict (docs/reference/gpu.md). Keywords are the options of the
command with `_` in place of `-`: `occupancy(threads=256, registers=32, platform="tx2")`.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Union

from . import _core
from .errors import OptionError

Scenario = Union[str, "os.PathLike[str]", dict]
"""A JSON file, or its content."""


def _arguments(options: dict[str, Any]) -> list[str]:
    arguments: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            arguments += [option, str(each)]
    return arguments


def run_verb(verb: str, *arguments: Scenario, **options: Any) -> dict[str, Any]:
    """`amalthea gpu VERB ARGUMENT… --OPTION VALUE… --format json`. Dicts among the arguments are scenarios."""
    with tempfile.TemporaryDirectory() as folder:
        words: list[str] = []
        for number, argument in enumerate(arguments):
            if isinstance(argument, dict):
                path = os.path.join(folder, f"scenario-{number}.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(argument, file)
                words.append(path)
            else:
                words.append(os.fspath(argument))
        _, output, messages = _core.command(["gpu", verb, *words, *_arguments({**options, "format": "json"})])
        if not output:
            first = messages.replace(folder + os.sep, "").strip().split("\n")[0]
            raise OptionError(first.removeprefix("amalthea: error: "))
        return json.loads(output)  # type: ignore[no-any-return]


def run(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Simulates contexts, streams, queues and blocks of a GPU."""
    return run_verb("run", scenario, **options)


def occupancy(threads: int, **options: Any) -> dict[str, Any]:
    """The blocks that fit on an SM, and the resource that limits them. Options: registers, shared_memory, platform."""
    return run_verb("occupancy", threads=threads, **options)


def place(*streams: str, **options: Any) -> dict[str, Any]:
    """Which SM runs which block of several streams: `place("4x5", "8x2", platform="tx2")`."""
    return run_verb("place", *streams, **options)


def rta(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Response times of kernels on one execution engine."""
    return run_verb("rta", scenario, **options)


def bounds(scenario: Scenario, **options: Any) -> dict[str, Any]:
    """Bounds on the response times of processes that share a GPU in time slices."""
    return run_verb("bounds", scenario, **options)


def makespan(**options: Any) -> dict[str, Any]:
    """The longest execution time of the warps of a kernel on an SM: `makespan(kernel="5L 9C 2L 9C", warps=4)`."""
    return run_verb("makespan", **options)


def warps(**options: Any) -> dict[str, Any]:
    """The warp schedulers of an SM, cycle by cycle: `warps(latencies="2,1,int32:2,memory:20", warps=4)`."""
    return run_verb("warps", **options)


def interference(**options: Any) -> dict[str, Any]:
    """The slowdown of a kernel by other kernels and by CPUs that access memory."""
    return run_verb("interference", **options)


def partition(**options: Any) -> dict[str, Any]:
    """Response times of kernels under CU masks of an AMD GPU: `partition(kernel="mm1024", against="mm256")`."""
    return run_verb("partition", **options)
