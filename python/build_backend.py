# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of amalthea_timing with CMake (PEP 517). It needs Python's standard library and Debian's packages, but
no network."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
NAME = "amalthea_timing"


def _version():
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(amalthea VERSION ([0-9.]+)", text).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _metadata():
    """The core metadata of the project table (PEP 621)."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {_version()}",
        f"Summary: {project['description']}", f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}", f"Keywords: {','.join(project['keywords'])}",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Author: {author['name']}" for author in project["authors"]]
    lines += [f"Project-URL: {name}, {url}" for name, url in project["urls"].items()]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    for extra, needed in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {package}; extra == '{extra}'" for package in needed]
    return "\n".join(lines) + "\n\n" + (SOURCE / project["readme"]).read_text(encoding="utf-8")


def _wheel():
    return f"Wheel-Version: 1.0\nGenerator: amalthea-timing\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _build(prefix):
    """The package, installed below `prefix`."""
    kept = os.environ.get("AMALTHEA_BUILD")
    build = pathlib.Path(kept or tempfile.mkdtemp(prefix="amalthea-build-"))
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    try:
        subprocess.run(
            ["cmake", "-S", SOURCE, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DAMALTHEA_UNITY=ON",
             "-DAMALTHEA_TESTS=OFF", "-DAMALTHEA_PYTHON=ON", "-DAMALTHEA_PYTHON_FOLDER=.",
             f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "amalthea_python", "--parallel", str(os.cpu_count())],
                       check=True)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", prefix, "--strip"],
                       check=True)
    finally:
        if not kept:
            shutil.rmtree(build, ignore_errors=True)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"{NAME}-{_version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(_wheel(), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    info = f"{NAME}-{_version()}.dist-info"
    with tempfile.TemporaryDirectory() as prefix:
        _build(prefix)
        files = {path.relative_to(prefix).as_posix(): path.read_bytes()
                 for path in sorted(pathlib.Path(prefix).rglob("*")) if path.is_file()}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = _wheel().encode()
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The committed sources."""
    name = f"{NAME}-{_version()}"
    archive = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "-C", SOURCE, "archive", "--format=tar.gz", f"--prefix={name}/", "-o", archive, "HEAD"],
                   check=True)
    return archive.name
