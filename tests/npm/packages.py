# SPDX-License-Identifier: Apache-2.0
"""Installs the packages of tests/npm/package-lock.json."""
import pathlib
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def install(folder, part):
    """Into a folder, once. `part`: a file in node_modules that is there then, which is returned."""
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else ""
    if not version or int(version.lstrip("v").split(".")[0]) < 20 or not shutil.which("npm"):
        skip("no Node.js 20 with npm")
    wanted = folder / "node_modules" / part
    folder.mkdir(parents=True, exist_ok=True)
    files = ("package.json", "package-lock.json")
    if not wanted.exists() or any((folder / name).read_bytes() != (here / name).read_bytes() for name in files):
        for name in files:
            shutil.copy(here / name, folder)
        installed = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                                   capture_output=True, text=True)
        if installed.returncode != 0:
            skip("npm cannot install its packages: " + " ".join(installed.stderr.split())[:200])
    return wanted
