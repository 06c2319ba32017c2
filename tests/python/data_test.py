# SPDX-License-Identifier: Apache-2.0
# The Python package for people who work with data: pickles, setters of execution times, sweeps, frames, names that are
# unknown, and pictures.

import copy
import os
import pathlib
import pickle
import sqlite3
import tempfile
import unittest

import amalthea_timing as at

SAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "samples"
WATERS = SAMPLES / "waters2019-tx2.amxmi"


def ticks_of(system, runnable):
    node = system.find("Runnable", runnable)
    return [(one.attribute("lowerBound"), one.attribute("average"), one.attribute("upperBound"))
            for graph in node.children("activityGraph") for item in graph.children() if item.class_name == "Ticks"
            for one in item.children()]


class Models(unittest.TestCase):
    def test_a_pickled_model_is_the_same_model(self):
        model = at.read(WATERS, max_depth=100)
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.bytes(), model.bytes())
        self.assertEqual(again.hash, model.hash)
        self.assertEqual(again._limits, {"max_depth": 100})
        self.assertEqual(copy.deepcopy(model).hash, model.hash)
        results = at.read(SAMPLES / "offload-minimal.amxmi").analyze()
        self.assertEqual(pickle.loads(pickle.dumps(results)).dict, results.dict)

    def test_results_without_causes_are_otherwise_the_same(self):
        with_causes = at.read(WATERS).analyze().dict
        self.assertIn("causes", with_causes)
        without = {key: value for key, value in with_causes.items() if key != "causes"}
        self.assertEqual(at.read(WATERS).analyze(causes=False).dict, without)

    def test_execution_times_are_set_and_scaled(self):
        system = at.System()
        core = system.core("Core")
        task = core.task("Control", period="10ms", wcet="2ms", bcet="1ms", priority=2)
        task.set_ticks(3_000_000)
        self.assertEqual(system.analyze().tasks["Control"].wcrt.ms, 3)
        self.assertEqual(ticks_of(system, "Control_function"), [("3000000", "3000000.0", "3000000")])
        system.runnable("Control_function").set_ticks(4_000_000, best=1_000_000)
        self.assertEqual(ticks_of(system, "Control_function"), [("1000000", "2500000.0", "4000000")])
        task.scale_ticks(1.5)
        self.assertEqual(ticks_of(system, "Control_function"), [("1500000", "3750000.0", "6000000")])
        self.assertEqual(system.analyze().tasks["Control"].wcrt.ms, 6)
        with self.assertRaisesRegex(ValueError, "expected 0 <= best <= average <= worst, got 5"):
            task.set_ticks(4, best=5)
        task.runnable("More", wcet="1ms")
        with self.assertRaisesRegex(ValueError, "2 runnables of Control have ticks"):
            task.set_ticks(1)

    def test_scaling_a_task_of_the_challenge_scales_what_it_executes(self):
        system = at.read(WATERS).edit()
        before = at.read(WATERS).analyze().tasks["Planner"].simulated["max_ps"]
        system.task("Planner").scale_ticks(0.5)
        after = system.analyze().tasks["Planner"].simulated["max_ps"]
        self.assertLess(after, 0.6 * before)

    def test_an_unknown_name_is_answered_with_those_that_exist(self):
        results = at.read(WATERS).analyze(until="10ms")
        for call, expected in (
            (lambda: results.tasks["Planer"], r'no task "Planer"; did you mean "Planner"\? \(there is: DASM, '),
            (lambda: results.chains["x"], r'no chain "x" \(there is: Lidar_to_DASM, '),
            (lambda: results.to_frame("task"), r'no table "task"; did you mean "tasks"'),
            (lambda: results.to_frame(unit="m"), r'no unit "m".*\(there is: s, ms, us, ns, ps\)'),
            (lambda: results.plot("response"), r'no picture "response"; did you mean "responses"'),
            (lambda: at.read(WATERS).edit().task("Planer"), r'no Task "Planer"; did you mean "Planner"'),
            (lambda: at.sweep(at.read(WATERS), {"Planner.tics": [1]}), r'no parameter "Planner.tics"; did you mean "Planner.ticks"'),
            (lambda: at.sweep(at.read(WATERS), {"untl": ["1s"]}), r'no parameter "untl"; did you mean "until"'),
        ):
            with self.assertRaisesRegex(KeyError, expected):
                call()

    def test_a_notebook_shows_tables_and_escapes_names(self):
        system = at.System()
        system.core("Core").task("<Control> & co", period="10ms", wcet="2ms", priority=1)
        shown = system.analyze()._repr_html_()
        self.assertIn("&lt;Control&gt; &amp; co", shown)
        self.assertNotIn("<Control>", shown)
        self.assertIn("<td>10</td>", shown)
        self.assertIn("guaranteed", shown)
        self.assertIn("2 ProcessingUnit", at.read(SAMPLES / "offload-minimal.amxmi")._repr_html_())
        self.assertIn("p99 ms", at.read(SAMPLES / "offload-minimal.amxmi").simulate(3)._repr_html_())
        self.assertIn("Lidar_to_DASM", at.read(WATERS).analyze(until="1s").chains._repr_html_())


class Frames(unittest.TestCase):
    def setUp(self):
        try:
            import pandas
        except ImportError as missing:
            self.skipTest(f"{missing.name} is missing")
        self.pandas = pandas

    def test_a_frame_has_one_index_one_word_per_figure_and_no_empty_column(self):
        results = at.read(WATERS).analyze()
        for table in ("tasks", "chains", "resources", "requirements", "limits", "operations", "runnables"):
            with self.subTest(table):
                frame = results.to_frame(table)
                self.assertEqual(frame.index.name, "name")
                self.assertFalse(frame.isna().all().any())
                self.assertFalse([name for name in frame.columns if name.startswith(("bound.", "simulated."))])
        tasks = results.to_frame()
        for name in ("wcrt_ms", "bcrt_ms", "min_ms", "mean_ms", "max_ms", "p99_ms", "deadline_ms", "period_ms"):
            self.assertIn(name, tasks.columns)
        for task in results.tasks:
            if task.wcrt is not None:
                self.assertAlmostEqual(tasks.loc[task.name, "wcrt_ms"], task.wcrt.ms)
        of_runs = at.read(WATERS).simulate(2, until="1s").to_frame()
        self.assertTrue({"min_ms", "mean_ms", "max_ms", "p99_ms"} <= set(of_runs.columns))
        metrics = results.to_frame("metrics")
        delays = metrics[metrics["metric"] == "StartDelay"]
        with_delays = [task.name for task in results.tasks if task.dict["metrics"].get("StartDelay")]
        self.assertIn("Planner", with_delays)
        self.assertEqual(list(delays.index), with_delays)
        self.assertFalse([name for name in tasks.columns if "StartDelay" in name])


class Databases(unittest.TestCase):
    def test_a_database_has_every_entry_of_the_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/all.db"
            records = at.batch([SAMPLES / name for name in ("waters2019-tx2.amxmi", "chains.amxmi", "constraints.amxmi", "broken.amxmi")],
                               output=f"{folder}/all.jsonl", summary=[path])
            found = sqlite3.connect(path)
            for table in ("tasks", "chains", "requirements", "constraints", "resources", "assumptions"):
                with self.subTest(table):
                    expected = [(record.dict["index"], one.get("name", one.get("rule")), one.get("verdict"))
                                for record in records if record.results for one in record.results.dict[table]]
                    key = "rule" if table == "assumptions" else "name"
                    verdict = "NULL" if table in ("chains", "assumptions") else "verdict"
                    self.assertEqual(found.execute(f"SELECT model, {key}, {verdict} FROM {table} ORDER BY rowid").fetchall(),
                                     expected)
            expected = [(record.dict["index"], one["rule"], one["line"])
                        for record in records
                        for one in (record.results.dict["findings"] if record.results else record.dict["messages"])]
            self.assertIn("AM0203", [rule for _, rule, _ in expected])  # of the model that is broken
            self.assertEqual(found.execute("SELECT model, rule, line FROM findings ORDER BY rowid").fetchall(), expected)
            waters = next(record for record in records if "waters" in record.files[0]).results
            for name, wcrt, longest, why in found.execute(
                    "SELECT tasks.name, wcrt_ps, max_ps, no_bound_because FROM tasks JOIN models USING (model) "
                    "WHERE files LIKE '%waters%'"):
                task = waters.tasks[name]
                self.assertEqual(wcrt, task.wcrt.ps if task.wcrt is not None else None)
                self.assertEqual(longest, task.max.ps if task.max is not None else None)
                self.assertEqual(why is None, task.wcrt is not None)
            for name, reaction, tasks in found.execute("SELECT name, reaction_ps, tasks FROM chains"):
                chain = next(record.results.chains[name] for record in records
                             if record.results and name in record.results.chains)
                self.assertEqual(reaction, chain.reaction.ps if chain.reaction is not None else None)
                self.assertEqual(tasks, " -> ".join(chain.tasks))
            busy = dict(found.execute("SELECT name, utilization FROM resources JOIN models USING (model) "
                                      "WHERE files LIKE '%waters%'"))
            self.assertEqual(busy["Core0"], waters.resources["Core0"].utilization)


class Sweeps(unittest.TestCase):
    def setUp(self):
        try:
            import pandas
        except ImportError as missing:
            self.skipTest(f"{missing.name} is missing")
        self.pandas = pandas
        system = at.System()
        core = system.core("Core")
        system.core("Other")
        core.task("Control", period="10ms", wcet="2ms", priority=2)
        core.task("Monitor", period="50ms", wcet="20ms", priority=1)
        self.model = system.model()

    def test_every_combination_is_analyzed_and_the_last_parameter_changes_fastest(self):
        sweep = at.sweep(self.model, {"Control.ticks": [1_000_000, 2_000_000, 9_000_000], "Monitor.core": ["Core", "Other"]},
                         jobs=1)
        frame = sweep.to_frame()
        self.assertEqual(list(frame["Control.ticks"]), [1_000_000] * 2 + [2_000_000] * 2 + [9_000_000] * 2)
        self.assertEqual(list(frame["Monitor.core"]), ["Core", "Other"] * 3)
        self.assertEqual(frame.loc[4, "verdict"], "unbounded")
        self.assertEqual(frame.loc[5, "verdict"], "guaranteed")
        tasks = sweep.to_frame("tasks")
        self.assertEqual(tasks.index.names, ["variant", "name"])
        # 20 ms, and those of Control's jobs of 1 or 2 ms every 10 ms that precede.
        self.assertEqual(tasks.loc[(0, "Monitor"), "wcrt_ms"], 23)
        self.assertEqual(tasks.loc[(2, "Monitor"), "wcrt_ms"], 26)
        self.assertEqual(tasks.loc[(3, "Monitor"), "wcrt_ms"], 20)
        self.assertEqual(tasks.loc[(3, "Monitor"), "core"], "Other")
        self.assertEqual(len(self.pandas.unique(sweep.to_frame("resources").index.get_level_values("variant"))), 6)

    def test_processes_and_shards_give_the_same_frames(self):
        parameters = {"Monitor.scale": [0.5, 1, 1.5, 2], "Control.period": ["5ms", "10ms"], "Control.priority": [0, 2],
                      "execution": ["worst", "best"]}
        whole = at.sweep(self.model, parameters, jobs=1)
        seen = []
        parallel = at.sweep(self.model, parameters, jobs=3, progress=seen.append)
        self.assertEqual(len(seen), 32)
        self.assertEqual(seen[-1], 1)
        for table in ("variants", "tasks", "limits"):
            self.pandas.testing.assert_frame_equal(whole.to_frame(table), parallel.to_frame(table))
        parts = [at.sweep(self.model, parameters, shard=f"{part}/3").to_frame("tasks") for part in (1, 2, 3)]
        self.pandas.testing.assert_frame_equal(self.pandas.concat(parts).sort_index(), whole.to_frame("tasks").sort_index())
        with self.assertRaisesRegex(ValueError, 'expected a part such as "2/10"'):
            at.sweep(self.model, parameters, shard="3/2")

    def test_a_variant_that_cannot_be_analyzed_keeps_its_error(self):
        sweep = at.sweep(self.model, {"Control.core": ["Core", "Nowhere"]}, jobs=1)
        self.assertEqual(sweep.failed, 1)
        frame = sweep.to_frame()
        self.assertEqual(list(frame["verdict"]), ["guaranteed", "failed"])
        self.assertIn("Nowhere", frame.loc[1, "error"])
        self.assertEqual(set(sweep.to_frame("tasks").index.get_level_values("variant")), {0})

    def test_properties_of_gpu_tasks_are_parameters(self):
        model = at.read(SAMPLES / "tutorial" / "5-shared-gpu.amxmi")
        frame = at.sweep(model, {"Localization_on_GPU.gpu.timeslice": ["20ms", "1ms"]}, jobs=1).to_frame("tasks")
        self.assertLess(frame.loc[(1, "Detection"), "wcrt_ms"], frame.loc[(0, "Detection"), "wcrt_ms"])


class Pictures(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib
            import pandas  # noqa: F401
        except ImportError as missing:
            self.skipTest(f"{missing.name} is missing")
        matplotlib.use("Agg")
        self.folder = os.environ.get("AMALTHEA_PICTURES")

    def keep(self, name, axes):
        if self.folder:
            axes.figure.savefig(f"{self.folder}/{name}.png", dpi=80)
        return axes

    def test_pictures_show_what_the_results_say(self):
        model = at.read(WATERS)
        results = model.analyze()
        axes = self.keep("responses", results.plot())
        names = [label.get_text() for label in axes.get_yticklabels()]
        self.assertEqual(names, [task.name for task in results.tasks])
        bounds, seen = axes.containers[0], axes.containers[1]
        for bar, task in zip(bounds, results.tasks):
            self.assertAlmostEqual(bar.get_width(), task.wcrt.ms if task.wcrt is not None else 0)
        for bar, task in zip(seen, results.tasks):
            self.assertAlmostEqual(bar.get_width(), task.max.ms if task.max is not None else 0)
        self.assertEqual(len([text for text in axes.texts if "no bound" in text.get_text()]),
                         len([task for task in results.tasks if task.wcrt is None]))
        axes = self.keep("chains", results.plot("chains"))
        self.assertEqual(len(axes.containers[1]), len(results.chains))
        with self.assertRaisesRegex(ValueError, "headroom=True"):
            results.plot("headroom")
        headroom = at.read(SAMPLES / "tutorial" / "6-repaired.amxmi").analyze(headroom=True)
        self.assertIn("times", [label.get_text() for label in self.keep("headroom", headroom.plot("headroom")).get_yticklabels()])

    def test_distributions_schedules_and_sweeps_have_pictures(self):
        model = at.read(SAMPLES / "offload-minimal.amxmi")
        distribution = model.simulate(200, execution="random")
        axes = self.keep("distribution", distribution.plot("Control"))
        self.assertEqual(sum(bar.get_height() for bar in axes.patches), distribution.tasks["Control"].dict["jobs"])
        trace = model.analyze(trace=True).trace
        axes = self.keep("schedule", trace.plot(0, 10))
        self.assertIn("Core", " ".join(label.get_text() for label in axes.get_yticklabels()))
        sweep = at.sweep(model, {"Control.scale": [0.5, 1, 1.5], "Monitor.scale": [1, 2]}, jobs=1)
        axes = self.keep("sweep", sweep.plot("Control"))
        self.assertEqual(len([line for line in axes.lines if line.get_label().startswith("bound")]), 2)
        given = axes
        self.assertIs(sweep.plot("Control", given), given)


if __name__ == "__main__":
    unittest.main()
