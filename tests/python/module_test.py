# SPDX-License-Identifier: Apache-2.0
# The Python package: the same results as the command, systems without XML, errors, threads and Ctrl-C.

import inspect
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import amalthea_timing as at
import amalthea_timing.batches as annotations_of_batch
import amalthea_timing.model as annotations
from amalthea_timing import _core as native

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = SOURCE / "samples"
COMMAND = os.environ["AMALTHEA"]


def command(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False).stdout


def minimal():
    return at.read(SAMPLES / "offload-minimal.amxmi")


class Results(unittest.TestCase):
    def test_analysis_is_that_of_the_command(self):
        for name in ("offload-minimal", "waters2019-tx2", "chains", "servers"):
            path = SAMPLES / f"{name}.amxmi"
            with self.subTest(name):
                self.assertEqual(at.read(path).analyze().dict, json.loads(command("analyze", path, "--format", "json")))

    def test_limits_have_the_verdicts_of_the_command(self):
        for path in sorted((SOURCE / "tests/data/limits").glob("*.amxmi")):
            for strict in (False, True):
                with self.subTest(path.name, strict=strict):
                    expected = json.loads(command("analyze", path, "--format", "json", *(["--strict"] if strict else [])))
                    results = at.read(path).analyze(strict=strict)
                    verdicts = {limit["name"]: limit["verdict"] for limit in expected["limits"]}
                    self.assertEqual({limit.name: limit.verdict for limit in results.limits}, verdicts)
                    self.assertEqual(results.summary, expected["summary"])
                    for task in results.tasks:
                        if task.name in verdicts:
                            self.assertEqual("guaranteed" if task.guaranteed and task.verdict == "met" else task.verdict,
                                             verdicts[task.name])

    def test_options_are_those_of_the_command(self):
        path = SAMPLES / "waters2019-tx2.amxmi"
        results = at.read(path).analyze(until="200ms", memory="waters2019", map={"Planner": "Core1:5"})
        expected = command("analyze", path, "--until", "200ms", "--memory", "waters2019", "--map", "Planner=Core1:5",
                           "--format", "json")
        self.assertEqual(results.dict, json.loads(expected))

    def test_simulation_is_that_of_the_command(self):
        path = SAMPLES / "offload-minimal.amxmi"
        self.assertEqual(at.read(path).simulate(50, seed=7, jobs=2).dict,
                         json.loads(command("simulate", path, "--runs", 50, "--seed", 7, "--format", "json")))

    def test_exploration_is_that_of_the_command(self):
        path = SAMPLES / "waters2019-tx2.amxmi"
        found = at.read(path).explore(candidates=300, keep=["offloading"])
        self.assertEqual(found.dict, json.loads(command("explore", path, "--candidates", 300, "--keep", "offloading",
                                                        "--format", "json")))
        self.assertEqual(found.model().analyze().tasks["DASM"].name, "DASM")

    def test_exploration_of_an_unmapped_model_is_that_of_the_command(self):
        path = SAMPLES / "unmapped.amxmi"
        found = at.read(path).explore(candidates=100)
        self.assertEqual(found.dict, json.loads(command("explore", path, "--candidates", 100, "--format", "json")))
        self.assertEqual(found.model().analyze().tasks["Log"].name, "Log")

    def test_explanation_drawing_difference_and_page_are_those_of_the_command(self):
        path, other = SAMPLES / "offload-minimal.amxmi", SAMPLES / "two-gpus.amxmi"
        model = at.read(path)
        self.assertEqual(model.explain("Control", until="20ms").dict,
                         json.loads(command("explain", path, "Control", "--until", "20ms", "--format", "json")))
        self.assertEqual(model.graph(task="Control"), command("graph", path, "--task", "Control"))
        self.assertEqual(model.diff(at.read(other), timing=True),
                         json.loads(command("diff", path, other, "--timing", "--format", "json")))
        self.assertEqual(model.analyze(headroom=True, headroom_analyses=3).dict,
                         json.loads(command("analyze", path, "--headroom", "--headroom-analyses", 3, "--format", "json")))
        with tempfile.TemporaryDirectory() as folder:
            command("report", path, "--what-ifs", 2, "-o", f"{folder}/a.html")
            model.report(f"{folder}/b.html", what_ifs=2)
            self.assertEqual(pathlib.Path(folder, "a.html").read_bytes(), pathlib.Path(folder, "b.html").read_bytes())

    def test_a_wrong_word_is_refused(self):
        with self.assertRaisesRegex(at.OptionError, "--execution wrost: expected one of worst, average, best"):
            minimal().analyze(execution="wrost")
        with self.assertRaisesRegex(TypeError, "unknown option"):
            minimal().explore(execution="worst")

    def test_findings_are_those_of_the_command(self):
        path = SAMPLES / "broken.amxmi"
        ids = [finding["rule"] for finding in json.loads(command("validate", path, "--format", "json"))["findings"]]
        self.assertEqual([finding.id for finding in at.read(path).validate()], ids)
        self.assertTrue(at.read(path).validate().errors)

    def test_objects_have_exact_times(self):
        task = minimal().analyze().tasks["Control"]
        self.assertEqual(task.wcrt.ps, 4731890000)
        self.assertEqual(str(task.wcrt), "4.73189 ms")
        self.assertAlmostEqual(task.deadline, 0.010)
        self.assertEqual(sum(part.time.ps for part in task.bound_contributions), task.wcrt.ps)
        self.assertTrue(task.guaranteed)

    def test_gpu_models_are_those_of_the_command(self):
        scenario = SAMPLES / "gpu" / "camera.json"
        for words, answer in (
                ("occupancy --threads 256 --registers 32", at.gpu.occupancy(threads=256, registers=32)),
                ("place 4x5 8x2 --platform tx2", at.gpu.place("4x5", "8x2", platform="tx2")),
                (f"study order {SAMPLES / 'gpu' / 'launch-order.json'}", at.gpu.study_order(SAMPLES / "gpu" / "launch-order.json")),
                (f"study policies --vary order {SAMPLES / 'gpu' / 'launch-order.json'}",
                 at.gpu.study_policies(SAMPLES / "gpu" / "launch-order.json", vary=["order"])),
                ("study placement --configurations 70", at.gpu.study_placement(configurations=70)),
                ("warps --latencies 2,1,int32:2 --warps 4", at.gpu.warps(latencies="2,1,int32:2", warps=4)),
                ("warps --sweep --programs 2 --sweep-budgets 2,3",
                 at.gpu.warps(sweep=True, programs=2, sweep_budgets=[2, 3])),
                ("interference --kernel pattern=random,footprint=1MiB --beside 3xsame --cpu random",
                 at.gpu.interference(kernel="pattern=random,footprint=1MiB", beside=["3xsame"], cpu="random")),
                ("partition --kernel mm1024 --mask 0-14", at.gpu.partition(kernel="mm1024", mask="0-14")),
                ("makespan --kernel LCL --warps 2 --units L=32,C=128 --string 1,1,2,1,2,2",
                 at.gpu.makespan(kernel="LCL", warps=2, units="L=32,C=128", string="1,1,2,1,2,2")),
                (f"run {scenario} --copy-rate 2", at.gpu.run(scenario, copy_rate=2))):
            with self.subTest(words):
                self.assertEqual(answer, json.loads(command("gpu", *words.split(), "--format", "json")))

    def test_scenarios_of_gpus_are_files_or_their_content(self):
        kernels = {"g_max": 8, "kernels": [{"C": 4, "g": 2}, {"C": 6, "g": 7}]}
        tasks = {"tasks": [{"name": "a", "core": 0, "priority": 1, "period": "9ms", "segments": [{"cpu": "1ms"}]}]}
        camera = json.loads((SAMPLES / "gpu" / "camera.json").read_text())
        for verb, content in (("rta", kernels), ("bounds", tasks), ("run", camera)):
            with self.subTest(verb), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "scenario.json")
                path.write_text(json.dumps(content))
                expected = json.loads(command("gpu", verb, path, "--format", "json"))
                self.assertEqual(getattr(at.gpu, verb)(path), expected)
                self.assertEqual(getattr(at.gpu, verb)(content), expected)
        with tempfile.TemporaryDirectory() as folder:
            at.gpu.run(camera, timeline=f"{folder}/run.svg")
            self.assertIn("</svg>", pathlib.Path(folder, "run.svg").read_text())

    def test_gpu_models_refuse_what_the_command_refuses(self):
        for message, call in (
                ("--platform nothing", lambda: at.gpu.occupancy(threads=256, platform="nothing")),
                ("--kernel is required", lambda: at.gpu.partition(mask="full")),
                ("--programs requires --sweep", lambda: at.gpu.warps(programs=3)),
                ("--sms excludes --trace", lambda: at.gpu.rta({"g_max": 1, "kernels": []}, trace=True, sms=1)),
                ("--policy fifo: expected one of", lambda: at.gpu.warps(latencies="1", policy="fifo"))):
            with self.assertRaisesRegex(at.OptionError, message):
                call()
        with self.assertRaisesRegex(at.UnreadableError, "scenario:1:11: tasks: expected an array"):
            at.gpu.bounds({"tasks": 3})
        with self.assertRaisesRegex(TypeError, "unknown option"):
            at.gpu.occupancy(threads=1, colour="red")

    def test_a_table_gives_the_model_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            table, ours, theirs = (pathlib.Path(folder, name) for name in ("t.csv", "ours.amxmi", "theirs.amxmi"))
            table.write_text("task,core,period,priority,deadline,time\nA,Core0,10 ms,2,10 ms,2..3 ms\n")
            for words, model in (([table], at.new(table)), (["--template", "gpu"], at.new(template="gpu")),
                                 ([table, "--from", SAMPLES / "tutorial" / "6-repaired.amxmi"],
                                  at.new(table, from_=SAMPLES / "tutorial" / "6-repaired.amxmi"))):
                command("new", *words, "-o", theirs)
                model.save(ours)
                self.assertEqual(ours.read_bytes(), theirs.read_bytes())
            self.assertEqual(at.new(table).assumptions[0],
                             "cores run at 1 GHz and schedule by fixed priorities where nothing else is stated")
            command("new", "--template", "gpu", "-o", theirs)
            self.assertEqual(at.new(template="gpu").export("table"), command("convert", theirs, "--to", "table", "-o", "-"))
            table.write_text("task,core\nA,Core0\n")
            with self.assertRaisesRegex(at.UnreadableError, "t.csv:"):
                at.new(table)
        with self.assertRaisesRegex(at.OptionError, "expected one of table and template"):
            at.new()

    def test_conversion_and_annotation(self):
        path = SAMPLES / "offload-minimal.amxmi"
        model = at.read(path)
        self.assertEqual(model.convert("2.0.0").release, "2.0.0")
        self.assertEqual(model.conversion_report("2.0.0")["schema"], "amalthea-conversion/1")
        annotated = model.annotate()
        with tempfile.TemporaryDirectory() as folder:
            command("annotate", path, "-o", f"{folder}/a.amxmi")
            annotated.save(f"{folder}/b.amxmi")
            self.assertEqual(pathlib.Path(folder, "a.amxmi").read_bytes(), pathlib.Path(folder, "b.amxmi").read_bytes())
        self.assertEqual(annotated.strip().bytes()[0][1], path.read_bytes())


class Verbs(unittest.TestCase):
    """Every verb and option of the command is in Python; docs/reference/python-methods.md says where."""

    PAGE = SOURCE / "docs/reference/python-methods.md"
    METHODS = {  # and how the native part gets its options
        "info": ("summary", lambda core, options: core.summary(options)),
        "graph": ("graph", lambda core, options: core.graph(options, "dot")),
        "validate": ("validate", None),
        "diff": ("diff", lambda core, options: core.diff(core, None, False, options, None)),
        "analyze": ("analyze", lambda core, options: core.analyze(options, False, True, None)),
        "simulate": ("simulate", lambda core, options: core.simulate(options, None)),
        "explain": ("explain", lambda core, options: core.explain("Control", options, None)),
        "report": ("report", lambda core, options: core.report(options, None)),
        "annotate": ("annotate", lambda core, options: core.annotate(options, None)),
        "explore": ("explore", lambda core, options: core.explore(options, None)),
        "convert": ("convert", None),
        "compare": ("compare", lambda core, options: core.compare([], False, options, None)),
        "calibrate": ("calibrate", lambda core, options: core.calibrate([], options, None)),
        "batch": ("batch", lambda core, options: native.batch([], "", "", "", [], options, None)),
        "batch merge": ("merge_batch", None),
        "new": ("new", lambda core, options: native.new_model("", options)),
    }
    OF_THE_PACKAGE = ("batch", "batch merge", "new")  # not of a model
    # Verbs that Python lacks, and why.
    WITHOUT = {
        "lsp": "for editors only",
        "certify": "the command writes a folder; `certificates=` shows what Coq has proved",
    }
    # Options that have another name or place in Python.
    ELSEWHERE = {
        "chain": "`chains`",
        "from": "`from_`",
        "compare --format": "`page=` writes HTML",
        "calibrate --check": "`model.calibration_report`",
        "info --dump": '`model.export("dump")`',
        "graph --format": "`format`",
        "analyze --trace": "`trace=True`: the intervals as arrays",
        "simulate --shard": "`model.simulate_part`",
        "annotate --as": "`forms`",
        "annotate --strip": "`model.strip()`",
        "explore --objective": "`objectives`",
        "explore --pin": "`pins`",
        "explore --shard": "`model.explore_part`",
        "explore --mapping-out": "`Exploration.mapping`",
        "explore --report": "`Exploration.report`",
        "batch --output": "`output`",
        "convert --to": "`release`",
        "convert --check": "`model.conversion_report`",
        "convert --report": "`model.conversion_report`",
        "convert --places": "`model.conversion_report(places=…)`",
        "convert --table": '`model.export("csv", table=…)`',
    }
    # Options that concern a face only, and why Python has none.
    OF_THE_COMMAND = {
        "format": "results are objects, with `.dict` and `.text`",
        "output": "results are returned; `save` writes models",
        "suppress": "`Findings` are a list to filter",
        "quiet": "nothing is printed; `progress=`",
        "verbose": "nothing is printed",
        "allow-unknown": "there is no exit code",
        "fail-on": "there is no exit code",
        "fix": "it changes files; `model.edit()` changes a model",
        "fix-deadlines": "it changes files; `model.edit()` changes a model",
        "gate": "there is no exit code",
        "analyze --baseline": "there is no exit code",
        "accepted": "there is no exit code",
        "write-accepted": "there is no exit code",
        "table": "`to_frame(table)`",
        "metrics": "a file for monitoring; `.dict` has the numbers",
        "trace": "files of traces come from the command",
        "trace-limit": "files of traces come from the command",
        "trace-names": "files of traces come from the command",
        "trace-run": "files of traces come from the command",
        "batch --list": "the records name the files",
        "batch --verb": "a loop over `at.read`",
        "batch --with": "of `--verb`",
        "batch --into": "of `--verb`",
        "batch --sarif": "`results.findings`",
        "convert --tree": "a loop over `at.read`",
        "convert --jobs": "of `--tree`",
        "convert --time-limit": "of `--tree`",
        "convert --memory-limit": "of `--tree`",
        "convert --resume": "of `--tree`",
    }

    def keywords(self, function):
        found = set()
        for parameter in inspect.signature(function).parameters.values():
            found.add(parameter.name)
            typed = re.search(r"Unpack\[(\w+)\]", str(parameter.annotation))
            if typed:
                module = annotations if hasattr(annotations, typed[1]) else annotations_of_batch
                found |= set(getattr(module, typed[1]).__annotations__)
        return found

    def method(self, verb):
        return getattr(at if verb in self.OF_THE_PACKAGE else at.Model, self.METHODS[verb][0])

    def options_of_the_command(self):
        verbs, verb = {}, None
        for line in command("--help-markdown").splitlines():
            if heading := re.match(r"##+ amalthea ([a-z ]+)$", line):
                verb = verbs.setdefault(heading[1], [])
            elif option := re.match(r"\| `(?:-\w, )?--([a-z-]+)", line):
                verb.append(option[1])
        return {name: options for name, options in verbs.items() if not name.startswith("gpu")}

    def place_of(self, verb, option, of_read, of_method):
        keyword = option.replace("-", "_")
        whole = f"{verb} --{option}"
        if whole in self.ELSEWHERE:
            return self.ELSEWHERE[whole]
        if whole in self.OF_THE_COMMAND:
            return "– " + self.OF_THE_COMMAND[whole]
        if keyword in of_method:
            return f"`{keyword}`"
        if keyword in of_read:
            return f"`at.read({keyword}=…)`"
        if option in self.ELSEWHERE:
            return self.ELSEWHERE[option]
        self.assertIn(option, self.OF_THE_COMMAND, f"Python lacks {whole}")
        return "– " + self.OF_THE_COMMAND[option]

    def test_every_verb_and_option_of_the_command_is_in_python(self):
        verbs = self.options_of_the_command()
        self.assertEqual(set(verbs), set(self.METHODS) | set(self.WITHOUT))
        of_read = self.keywords(at.read)
        page = ("# Python methods\n\n<!-- Generated by tests/python/module_test.py from the options of the command and the "
                "keywords of Python. -->\n\nWhere the verbs and options of the command are in Python.\nA dash says why there is "
                "none. [python.md](../python.md) describes the package.\n")
        for verb, options in verbs.items():
            if verb in self.WITHOUT:
                page += f"\n## {verb}\n\nNo method: {self.WITHOUT[verb]}.\n"
                continue
            name = self.METHODS[verb][0]
            of_method = self.keywords(self.method(verb))
            owner = "at" if verb in self.OF_THE_PACKAGE else "model"
            page += f"\n## {verb}: `{owner}.{name}`\n\n| option | Python |\n| --- | --- |\n"
            page += "".join(f"| `--{option}` | {self.place_of(verb, option, of_read, of_method)} |\n" for option in options)
        if os.environ.get("AMALTHEA_UPDATE_DOCS") == "1":
            self.PAGE.write_text(page)
        self.assertEqual(self.PAGE.read_text(), page)

    def test_every_keyword_is_taken(self):
        core = minimal()._core
        core_options = {"files": lambda options: type(core).read([str(SAMPLES / "offload-minimal.amxmi")], options)}
        taken = {"files": set(annotations.Limits.__annotations__)}
        for verb, (name, call) in self.METHODS.items():
            if call:
                renamed = {"chain": "chains", "as": "forms", "objective": "objectives", "pin": "pins", "from": "from_"}
                options = {renamed.get(option, option).replace("-", "_") for option in self.options_of_the_command()[verb]}
                taken[verb] = self.keywords(self.method(verb)) & options
                taken[verb] -= {"timing", "base", "trace", "picture", "format", "manifest", "output", "cache", "summary"}
                core_options[verb] = lambda options, call=call: call(core, options)
        for verb, keywords in taken.items():
            self.assertTrue(keywords)
            for keyword in keywords:
                with self.subTest(verb=verb, keyword=keyword), self.assertRaisesRegex(TypeError, "unexpected type"):
                    core_options[verb]({keyword: object()})

    def test_limits_forms_and_merges_are_those_of_the_command(self):
        path, other = SAMPLES / "offload-minimal.amxmi", SAMPLES / "two-gpus.amxmi"
        with self.assertRaisesRegex(at.UnreadableError, "AM"):
            at.read(path, max_size=100)
        with self.assertRaises(at.OptionError):
            at.read(path, max_attributes=100_000)
        model = at.read(path)
        self.assertEqual(model.export("dump"), command("info", path, "--dump"))
        with tempfile.TemporaryDirectory() as folder:
            command("convert", path, "--table", "runnables", "-o", f"{folder}/runnables.csv")
            self.assertEqual(model.export("csv", table="runnables"), pathlib.Path(folder, "runnables.csv").read_text())
        self.assertEqual(model.diff(at.read(other), base=model),
                         json.loads(command("diff", "--base", path, path, other, "--format", "json")))
        with tempfile.TemporaryDirectory() as folder:
            trace = f"{folder}/run.btf"
            command("analyze", path, "--trace", trace, "--until", "100ms")
            self.assertEqual(model.compare(trace, runs=2),
                             json.loads(command("compare", path, trace, "--runs", 2, "--format", "json")))
            command("calibrate", path, trace, "--margin", 10, "-o", f"{folder}/calibrated.amxmi")
            self.assertEqual(model.calibrate(trace, margin=10).bytes()[0][1],
                             pathlib.Path(folder, "calibrated.amxmi").read_bytes())
            self.assertEqual(model.calibration_report(trace, margin=10),
                             command("calibrate", path, trace, "--margin", 10, "--check"))
        self.assertEqual(model.summary(keep_wrappers=True),
                         json.loads(command("info", path, "--keep-wrappers", "--format", "json")))

    def test_a_batch_has_the_lines_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, ours, cache = f"{folder}/command.jsonl", f"{folder}/ours.jsonl", f"{folder}/cache"
            command("batch", SAMPLES / "tutorial", "-o", lines, "--until", "100ms")
            records = at.batch(SAMPLES / "tutorial", output=ours, cache=cache, summary=[f"{folder}/summary.md"],
                               until="100ms")
            expected = [json.loads(line) for line in pathlib.Path(lines).read_text().splitlines()]
            keyless = [{key: value for key, value in line.items() if key != "key"} for line in expected]
            self.assertEqual([{key: value for key, value in record.dict.items() if key != "key"} for record in records],
                             keyless)
            self.assertEqual([json.loads(line) for line in pathlib.Path(ours).read_text().splitlines()],
                             [record.dict for record in records])
            self.assertEqual(records[0].results.verdict, at.read(*records[0].files).analyze(until="100ms").verdict)
            self.assertIn(f"{len(records)} models", pathlib.Path(folder, "summary.md").read_text())
            parts = [f"{folder}/{part}.jsonl" for part in (1, 2)]
            for number, part in enumerate(parts, 1):
                at.batch([SAMPLES / "tutorial"], output=part, shard=f"{number}/2", cache=cache, until="100ms")
            self.assertEqual([record.dict for record in at.merge_batch(parts)], [record.dict for record in records])
        broken = at.batch(SAMPLES / "broken.amxmi")[0]
        self.assertEqual((broken.verdict, broken.results), ("failed", None))
        self.assertTrue(broken.error)
        with self.assertRaisesRegex(at.OptionError, "no model is given"):
            at.batch()
        with self.assertRaisesRegex(at.OptionError, "--resume requires"):
            at.batch(SAMPLES, resume=True)


class Systems(unittest.TestCase):
    def test_system_without_xml(self):
        """Response times by hand: 3; 3 + 4 = 7 -> one more release of A at 5: 3 + 3 + 4 = 10."""
        system = at.System()
        core = system.core("Core", clock="1GHz")
        core.task("A", period="5ms", wcet="3ms", priority=2)
        core.task("B", period="20ms", wcet="4ms", priority=1)
        tasks = system.analyze().tasks
        self.assertEqual(tasks["A"].wcrt.ps, 3 * 10**9)
        self.assertEqual(tasks["B"].wcrt.ps, 10 * 10**9)

    def test_offloading_is_that_of_the_sample(self):
        system = at.System()
        core = system.core("Core")
        gpu = system.gpu("GPU", platform="tx2")
        memory = system.memory("DRAM", {core: 20, gpu: 5})
        image, result = system.label("Image", "64kB", memory), system.label("Result", "4kB", memory)
        control = core.task("Control", period="10ms", priority=1)
        control.runnable("Pre", "0.6ms", "0.4ms", writes=[image])
        vision = control.offload(gpu.task("Vision", wcet="3ms", bcet="2ms", reads=[image], writes=[result]))
        control.runnable("Post").read(result).execute("0.5ms", "0.3ms")
        core.task("Monitor", period="2ms", wcet="0.3ms", bcet="0.2ms", priority=2)
        model = system.model()
        self.assertEqual(model.validate().errors, [])
        ours, theirs = model.analyze().tasks["Control"], minimal().analyze().tasks["Control"]
        self.assertEqual(ours.max, theirs.max)
        self.assertEqual([part.kind for part in ours.bound_contributions],
                         [part.kind for part in theirs.bound_contributions])
        self.assertEqual(vision.name, "Vision")

    def test_chain_and_saved_model(self):
        system = at.System()
        core = system.core("Core")
        value = system.label("Value")
        first = core.task("First", period="10ms", wcet="1ms", priority=2, writes=[value])
        second = core.task("Second", period="20ms", wcet="2ms", priority=1, reads=[value])
        system.chain("Path", [first, second], reaction="60ms")
        with tempfile.TemporaryDirectory() as folder:
            system.save(f"{folder}/saved.amxmi")
            chains = at.read(f"{folder}/saved.amxmi").analyze().chains
            self.assertEqual(chains["Path"].tasks, ["First", "Second"])
            self.assertGreater(chains["Path"].reaction.ps, 0)
            self.assertEqual(command("validate", f"{folder}/saved.amxmi").count("error:"), 0)

    def test_model_is_changed(self):
        system = minimal().edit()
        task = system.task("Control")
        task.set_deadline("3ms")
        task.node.set("name", "Main")  # references follow
        results = system.analyze()
        self.assertEqual(results.tasks["Main"].deadline.ms, 3)
        self.assertEqual(results.tasks["Main"].verdict, "missed")
        removed = system.find("ProcessRequirement", "Deadline_Monitor")
        removed.remove()
        with self.assertRaisesRegex(RuntimeError, "removed"):
            removed.set("name", "again")
        self.assertIsNone(system.analyze().tasks["Monitor"].deadline)


class Failures(unittest.TestCase):
    def test_exceptions_carry_findings(self):
        with self.assertRaises(at.UnreadableError) as caught:
            at.parse("<nothing/>")
        self.assertTrue(caught.exception.findings.errors)
        with self.assertRaises(at.ModelError) as caught:
            at.read(SAMPLES / "broken.amxmi").analyze()
        self.assertIn("AM0344", [finding.id for finding in caught.exception.findings])
        with self.assertRaisesRegex(at.OptionError, "--map Control"):
            minimal().analyze(map=["Control"])
        with self.assertRaisesRegex(at.OptionError, "Nobody"):
            minimal().analyze(map={"Nobody": "Core"})
        with self.assertRaisesRegex(ValueError, "expected a time with a unit"):
            minimal().analyze(until="5")
        with self.assertRaises(TypeError):
            minimal().analyze(horizon="5s")

    def test_other_threads_run_meanwhile(self):
        done, turns = threading.Event(), 0
        thread = threading.Thread(target=lambda: (minimal().simulate(4000), done.set()))
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(turns, 10)

    def test_progress_grows_to_one(self):
        shares = []
        minimal().simulate(4000, progress=shares.append)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(not shares or shares[-1] == 1)

    def test_interrupt_stops_simulation_and_exploration(self):
        for work in ("simulate(1_000_000_000)", "analyze(until='500000s', max_steps=10**12)",
                     "explore(candidates=1_000_000_000, search_steps=10**15)"):
            with self.subTest(work):
                program = ("import amalthea_timing as at, sys\n"
                           f"model = at.read({str(SAMPLES / 'waters2019-tx2.amxmi')!r})\n"
                           "print('begins', flush=True)\n"
                           f"model.{work}\n")
                process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                process.stdout.readline()
                time.sleep(0.7)
                process.send_signal(signal.SIGINT)
                _, messages = process.communicate(timeout=30)
                self.assertIn("KeyboardInterrupt", messages)


class Frames(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
            import pandas
        except ImportError as missing:
            self.skipTest(f"{missing.name} is missing")
        self.numpy, self.pandas = numpy, pandas

    def test_results_as_frame(self):
        frame = minimal().analyze().to_frame()
        row = frame.loc["Control"]
        self.assertAlmostEqual(row["wcrt_ms"], 4.73189)
        self.assertEqual(row["verdict"], "met")
        self.assertAlmostEqual(minimal().analyze().tasks.to_frame("us")["deadline_us"].iloc[0], 10_000)
        self.assertFalse(at.read(SAMPLES / "broken.amxmi").validate().to_frame().empty)

    def test_trace_as_arrays(self):
        results = minimal().analyze(trace=True)
        trace, task = results.trace, results.tasks["Monitor"]
        self.assertEqual(trace.intervals["start_ps"].dtype, self.numpy.int64)
        self.assertTrue((trace.intervals["end_ps"] > trace.intervals["start_ps"]).all())
        self.assertEqual(trace.responses("Monitor").max(), task.max.ps)
        self.assertEqual(len(trace.responses("Monitor")), task.simulated["jobs"])
        frame = trace.to_frame()
        busy = frame[(frame["task"] == "Control") & (frame["state"] == "running")]
        self.assertAlmostEqual((busy["end_ms"] - busy["start_ms"]).sum(), 1.12126)


if __name__ == "__main__":
    unittest.main()
