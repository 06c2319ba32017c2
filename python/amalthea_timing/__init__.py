# SPDX-License-Identifier: Apache-2.0
"""Timing analysis of AMALTHEA models of systems with CPUs and GPUs.

    import amalthea_timing as at

    results = at.read("model.amxmi").analyze()
    print(results.verdict, results.tasks["Control"].wcrt)
    results.to_frame()

docs/python.md describes the package, docs/ everything that it computes. Times are `Time`: numbers of seconds that know
their exact picoseconds.
"""

from . import gpu
from ._core import Node
from ._core import built_with as _built_with
from ._core import version as __version__
from .batches import BatchRecord, batch, merge_batch
from .errors import AmaltheaError, ModelError, OptionError, UnknownNameError, UnreadableError
from .findings import Finding, Findings
from .model import Model, Options, new, parse, read
from .results import Distribution, Explanation, Exploration, Results, Trace
from .sweeps import Sweep, sweep
from .system import System
from .times import Time

built_with: str = _built_with
"""The versions of compiler and libraries, one per line."""

__all__ = [
    "AmaltheaError", "BatchRecord", "Distribution", "Explanation", "Exploration", "Finding", "Findings", "Model", "ModelError",
    "Node", "OptionError", "Options", "Results", "Sweep", "System", "Time", "Trace", "UnknownNameError", "UnreadableError",
    "__version__", "batch", "built_with", "gpu", "merge_batch", "new", "parse", "read", "sweep",
]
