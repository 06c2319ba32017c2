#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares manifest.json with the certificates, and computes the latencies of chains again: python3 chains.py

Reads only what stands beside it. It takes every bound from the theorem in the certificate, not from the manifest.
Ends with 1 if a number differs.
"""
import json
import pathlib
import re
import sys

THEOREM = re.compile(r"^Theorem (\w+) : \w+(?: \w+)? tasks (\d+)%nat (\d+)\.$", re.M)


def proved_bounds(folder, name):
    """Theorem -> bound in ticks."""
    return {found[1]: int(found[3]) for found in THEOREM.finditer((folder / name).read_text(encoding="utf-8"))}


def main():
    folder = pathlib.Path(__file__).resolve().parent
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    faults = []
    bounds = {}
    for core in manifest["cores"]:
        bounds[core["file"]] = proved_bounds(folder, core["file"])
    response = {}
    for task in manifest["tasks"]:
        if "theorems" not in task:
            continue
        found = [bounds[task["file"]].get(theorem) for theorem in task["theorems"]]
        if None in found or max(found) != task["proved_ps"]:
            faults.append("task %s: the theorems say %s, the manifest %s" % (task["task"], found, task["proved_ps"]))
        else:
            response[task["task"]] = max(found)
    for chain in manifest["chains"]:
        total = 0
        for part in chain["parts"]:
            if part["task"] not in response:
                faults.append("chain %s: %s has no theorem" % (chain["chain"], part["task"]))
                break
            total += response[part["task"]] + part.get("wait_ps", 0)
        else:
            print("%s: at most %d ps" % (chain["chain"], total))
            if total != chain["latency_ps"]:
                faults.append("chain %s: computed %d ps, the manifest says %d" %
                              (chain["chain"], total, chain["latency_ps"]))
    for fault in faults:
        print(fault, file=sys.stderr)
    print("%d tasks and %d chains agree with the theorems" % (len(response), len(manifest["chains"]))
          if not faults else "%d differences" % len(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
