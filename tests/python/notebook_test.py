# SPDX-License-Identifier: Apache-2.0
# Executes the notebooks of docs/, whose cells compare with published values, and compares their tables with those in the
# files. AMALTHEA_UPDATE_DOCS=1 writes the new outputs into the files.

import json
import os
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
    import pandas  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing.name} is missing (apt-get install python3-pandas python3-matplotlib python3-nbclient "
          "python3-ipykernel)")
    sys.exit(77)


def tables(notebook):
    return [output["data"]["text/plain"] for cell in notebook["cells"] if cell["cell_type"] == "code"
            for output in cell["outputs"]
            if output["output_type"] == "execute_result" and "text/plain" in output["data"]]


def check(path):
    """Whether the outputs in the file are current, or now are."""
    notebook = nbformat.read(path, as_version=4)
    before = tables(notebook)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3",
                            resources={"metadata": {"path": str(path.parent)}}).execute()
    after = tables(notebook)
    if os.environ.get("AMALTHEA_UPDATE_DOCS"):
        for cell in notebook["cells"]:
            cell["metadata"] = {}
            cell.pop("id", None)
            if cell["cell_type"] == "code":
                for output in cell["outputs"]:
                    output["metadata"] = {}
        notebook["metadata"]["language_info"] = {"name": "python"}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif before != after:
        for old, new in zip(before, after):
            if old != new:
                print(f"in the file:\n{old}\nnow:\n{new}")
        print(f"{path.name}: outputs are not current (AMALTHEA_UPDATE_DOCS=1)")
        return False
    print(f"{path.name}: {len(after)} tables")
    return len(after) > 0


notebooks = sorted(DOCS.glob("*.ipynb"))
if not notebooks or not all([check(path) for path in notebooks]):
    sys.exit(1)
