# SPDX-License-Identifier: Apache-2.0
"""Many models, each analyzed in a process of its own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

from . import _core
from .model import Limits, Options, Path, Progress, _core_options, _progress
from .results import Results

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BatchOptions(Options, Limits, total=False):
    """Those of `batch`, too (docs/reference/batch.md)."""

    shard: str
    """Only a part of the models: "2/10"."""
    jobs: int
    """Processes; by default one per core."""
    time_limit: float
    """Seconds per model."""
    memory_limit: int
    """MiB per model; 0 for none."""
    resume: bool
    """Continue an interrupted batch that has the same `output`."""


class BatchRecord:
    """What a batch found for a model."""

    def __init__(self, line: str) -> None:
        self.dict: dict[str, Any] = json.loads(line)
        """The line of the batch (docs/reference/batch.md)."""

    @property
    def files(self) -> list[str]:
        """The files of the model."""
        return self.dict["files"]  # type: ignore[no-any-return]

    @property
    def verdict(self) -> str:
        """The verdict on the whole model, such as "missed"; "failed" if it was not analyzed."""
        return str(self.dict["verdict"])

    @property
    def status(self) -> str:
        """ "analysed", or why it was not: "failed", "out of time", "out of memory", "crashed", "nothing to analyze"."""
        return str(self.dict["status"])

    @property
    def error(self) -> Optional[str]:
        """Why it was not analyzed."""
        return self.dict.get("error")

    @property
    def results(self) -> Optional[Results]:
        """Those of `Model.analyze`; None if the model was not analyzed."""
        found = self.dict.get("results")
        return None if found is None else Results(found, "", None)

    def __repr__(self) -> str:
        return f"<BatchRecord {', '.join(self.files)}: {self.verdict}>"


def batch(
    paths: Union[Path, Iterable[Path]] = (),
    *,
    manifest: Path = "",
    output: Path = "",
    cache: Path = "",
    summary: Iterable[Path] = (),
    progress: Progress = None,
    **options: "Unpack[BatchOptions]",
) -> list[BatchRecord]:
    """Analyzes every model at and below the paths, and those that a `manifest` lists.

    A model that crashes, hangs or needs too much memory does not affect the others. `output` also writes the lines,
    `cache` is a folder that keeps results of unchanged models, `summary` writes files (.md, .html, .txt, .csv, .db).
    The models are read in processes that are forked: do not analyze in other threads meanwhile. Ctrl-C stops it."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    found = _core.batch(
        [os.fspath(path) for path in several],
        os.fspath(manifest),
        os.fspath(output),
        os.fspath(cache),
        [os.fspath(path) for path in summary],
        _core_options(options),
        _progress(progress),
    )
    return [BatchRecord(line) for line in found]


def merge_batch(parts: Iterable[Path]) -> list[BatchRecord]:
    """The records of all parts (`shard`), read from their outputs, in the order of a single batch."""
    return [BatchRecord(line) for line in _core.merge_batch([os.fspath(part) for part in parts])]
