#!/usr/bin/env python3
"""Peak memory of `amalthea batch` over many models: bench/batch_memory.py AMALTHEA FOLDER [COUNT [OPTIONS…]]

Lists the models below FOLDER, names them through links until there are COUNT (10000), runs a batch over them and prints
the parent's and the children's peak memory when a tenth, a half and all of the lines were there and at the end, then how
long it took and what merging its lines needs. Linux only: asks /proc.
"""
import os
import subprocess
import sys
import tempfile
import time


def memory(process, key):
    """In KiB; 0 when the process is gone."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith(key):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def children_of(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
            return children.read().split()
    except OSError:
        return []


def watched(command, output, marks):
    """Runs the command; yields (mark, seconds, parent's peak, children's peak) at marks of lines in the output, and at the end."""
    begin = time.monotonic()
    parent = child = lines = 0
    partial = None
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        while run.poll() is None:
            parent = max(parent, memory(run.pid, "VmHWM"))
            for process in children_of(run.pid):
                child = max(child, memory(process, "VmHWM"))
            if marks and partial is None and os.path.exists(output + ".partial"):
                partial = open(output + ".partial", "rb")
            if marks and partial is not None:
                while chunk := partial.read(1 << 20):
                    lines += chunk.count(b"\n")
                while marks and lines >= marks[0]:
                    yield marks.pop(0), time.monotonic() - begin, parent, child
            time.sleep(0.005)
        yield "end", time.monotonic() - begin, parent, child
        if run.returncode not in (0, 1):
            sys.exit(f"ended with {run.returncode}: {' '.join(command)}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    amalthea, models = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    found = subprocess.run([amalthea, "batch", "--list", models], check=True, capture_output=True, text=True).stdout
    found = [line.split("\t") for line in found.splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rounds = -(-count // len(found))
        for number in range(rounds):
            os.symlink(models, f"models-{number}")
        listed = ["\t".join(file.replace(models, f"models-{number}", 1) for file in model)
                  for number in range(rounds) for model in found][:count]
        with open("models.txt", "w", encoding="utf-8") as manifest:
            manifest.write("".join(line + "\n" for line in listed))
        command = [amalthea, "batch", "--manifest", "models.txt", "--fail-on", "never", "-o", "lines.jsonl", *sys.argv[4:]]
        print("models  seconds  parent MiB  child MiB")
        marks = [count // 10, count // 2, count]
        for mark, seconds, parent, child in watched(command, "lines.jsonl", marks):
            print(f"{mark:>6}  {seconds:7.1f}  {parent / 1024:10.1f}  {child / 1024:9.1f}", flush=True)
        print(f"lines: {os.path.getsize('lines.jsonl') / 2**20:.0f} MiB")
        command = [amalthea, "batch", "merge", "lines.jsonl", "-o", "merged.jsonl"]
        for _, seconds, parent, _ in watched(command, "merged.jsonl", []):
            print(f" merge  {seconds:7.1f}  {parent / 1024:10.1f}", flush=True)


main()
