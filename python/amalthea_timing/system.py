# SPDX-License-Identifier: Apache-2.0
"""Systems that are built or changed in Python, without XML.

    system = System()
    core = system.core("Core", clock="1GHz")
    core.task("Control", period="10ms", wcet="2ms", priority=2)
    core.task("Monitor", period="50ms", wcet="20ms", priority=1)
    print(system.analyze().tasks["Monitor"].wcrt)

Everything that AMALTHEA can express is reachable through `objects` and `Node`; the methods here cover what most systems
consist of.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterable, Optional

from . import _core
from ._core import Node
from .errors import UnknownNameError
from .model import Model, Path, parse
from .results import Distribution, Exploration, Results
from .times import TimeLike, picoseconds, scaled, time_parts

HERTZ = {"GHz": 10**9, "MHz": 10**6, "kHz": 10**3, "Hz": 1}
BYTES = {"GiB": 1 << 30, "MiB": 1 << 20, "kiB": 1 << 10, "KiB": 1 << 10, "GB": 10**9, "MB": 10**6, "kB": 10**3, "B": 1}


class Element:
    """An object of the model that a System has made or found."""

    def __init__(self, system: "System", node: Node) -> None:
        self.system = system
        self.node = node
        """Its attributes, references and contained objects."""

    @property
    def name(self) -> str:
        return self.node.attribute("name") or ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Label(Element):
    """Data that runnables read and write."""


class Memory(Element):
    """A memory."""


class Runnable(Element):
    """A function that tasks call."""

    frequency = Fraction(10**9)

    def _items(self) -> Node:
        graph = self.node.children("activityGraph")
        return graph[0] if graph else self.node.create("activityGraph", "ActivityGraph")

    def read(self, *labels: Label) -> "Runnable":
        """It reads these labels next."""
        return self._access("read", labels)

    def write(self, *labels: Label) -> "Runnable":
        """It writes these labels next."""
        return self._access("write", labels)

    def _access(self, how: str, labels: Iterable[Label]) -> "Runnable":
        for label in labels:
            item = self._items().create("items", "LabelAccess")
            item.refer("data", [label.node])
            item.set("access", how)
        return self

    def execute(self, wcet: TimeLike, bcet: Optional[TimeLike] = None, average: Optional[TimeLike] = None) -> "Runnable":
        """It computes next, for at most `wcet` and at least `bcet` (by default the same) at the clock of its unit."""
        upper = self._ticks(wcet)
        lower = upper if bcet is None else self._ticks(bcet)
        statistics = self._items().create("items", "Ticks").create("default", "DiscreteValueStatistics")
        statistics.set("lowerBound", str(lower))
        statistics.set("upperBound", str(upper))
        middle = Fraction(lower + upper, 2) if average is None else Fraction(self._ticks(average))
        statistics.set("average", str(float(middle)))
        return self

    def _ticks(self, time: TimeLike) -> int:
        return round(picoseconds(time) * self.frequency / 10**12)

    def set_ticks(self, worst: int, best: Optional[int] = None, average: Optional[float] = None) -> None:
        """Replaces its execution time, in ticks of its unit; best and average are the worst by default.

        Raises ValueError if it has no ticks, or several."""
        found = self._all_ticks()
        if len(found) != 1:
            raise ValueError(f"{self.name} has {len(found)} items with ticks; scale_ticks changes all of them")
        for old in found[0].children():
            if old.feature in ("default", "extended"):
                old.remove()
        best = worst if best is None else best
        average = (best + worst) / 2 if average is None else average
        if not 0 <= best <= average <= worst:
            raise ValueError(f"{self.name}: expected 0 <= best <= average <= worst, got {best}, {average}, {worst}")
        value = found[0].create("default", "DiscreteValueStatistics")
        for name, number in (("lowerBound", best), ("upperBound", worst), ("average", float(average))):
            value.set(name, str(number))

    def scale_ticks(self, factor: float) -> None:
        """Multiplies all its execution times, for every unit; rounded to whole ticks, at least one."""
        for ticks in self._all_ticks():
            _scale(ticks, Fraction(factor))

    def _all_ticks(self) -> list[Node]:
        return [node for graph in self.node.children("activityGraph") for node in _below(graph, "Ticks")]


class Task(Element):
    """A task of a core or of a GPU."""

    unit: "Unit"

    def _items(self) -> Node:
        graph = self.node.children("activityGraph")
        return graph[0] if graph else self.node.create("activityGraph", "ActivityGraph")

    def runnable(self, name: str, wcet: Optional[TimeLike] = None, bcet: Optional[TimeLike] = None, *,
                 reads: Iterable[Label] = (), writes: Iterable[Label] = ()) -> Runnable:
        """A new runnable that it calls next: it reads, computes, writes."""
        runnable = Runnable(self.system, self.system._sub_model("swModel", "SWModel").create("runnables", "Runnable"))
        runnable.node.set("name", name)
        runnable.frequency = self.unit.frequency
        runnable.read(*reads)
        if wcet is not None:
            runnable.execute(wcet, bcet)
        runnable.write(*writes)
        return self.call(runnable)

    def call(self, runnable: Runnable) -> Runnable:
        """It calls this runnable next."""
        self._items().create("items", "RunnableCall").refer("runnable", [runnable.node])
        return runnable

    def offload(self, task: "Task", *, active: bool = False) -> "Task":
        """It starts a task of a GPU next, and waits until that ends; if `active`, it polls and keeps its core."""
        system = self.system
        stimulus = system._sub_model("stimuliModel", "StimuliModel").create("stimuli", "InterProcessStimulus")
        stimulus.set("name", f"{task.name}_request")
        task.node.refer("stimuli", [*task.node.references("stimuli"), stimulus])
        event = system._sub_model("swModel", "SWModel").create("events", "OsEvent")
        event.set("name", f"{task.name}_done")
        self._items().create("items", "InterProcessTrigger").refer("stimulus", [stimulus])
        wait = self._items().create("items", "WaitEvent")
        wait.set("waitingBehaviour", "active" if active else "passive")
        clear = self._items().create("items", "ClearEvent")
        done = task._items().create("items", "SetEvent")
        done.refer("process", [self.node])
        for item in (wait, clear, done):
            item.create("eventMask", "EventMask").refer("events", [event])
        return task

    def runnables(self) -> list[Runnable]:
        """Those that it calls, in their order; those that others of them call, too."""
        found: list[Runnable] = []
        open_graphs = [self.node]
        while open_graphs:
            for call in [one for graph in open_graphs.pop(0).children("activityGraph")
                         for one in _below(graph, "RunnableCall")]:
                for node in call.references("runnable"):
                    if all(node != known.node for known in found):
                        found.append(Runnable(self.system, node))
                        open_graphs.append(node)
        return found

    def set_ticks(self, worst: int, best: Optional[int] = None, average: Optional[float] = None) -> None:
        """Replaces the ticks of its only runnable that has ticks. Raises ValueError if there are none or several."""
        found = [runnable for runnable in self.runnables() if runnable._all_ticks()]
        if len(found) != 1:
            raise ValueError(f"{len(found)} runnables of {self.name} have ticks; change them by `runnables`, or scale_ticks")
        found[0].set_ticks(worst, best, average)

    def scale_ticks(self, factor: float) -> None:
        """Multiplies the execution times of all runnables that it calls."""
        for runnable in self.runnables():
            runnable.scale_ticks(factor)

    def set_period(self, period: TimeLike, offset: Optional[TimeLike] = None) -> None:
        """Activates it periodically, in place of its other stimuli."""
        system = self.system
        stimulus = system._sub_model("stimuliModel", "StimuliModel").create("stimuli", "PeriodicStimulus")
        stimulus.set("name", f"{self.name}_period")
        _set_time(stimulus, "recurrence", period)
        if offset is not None:
            _set_time(stimulus, "offset", offset)
        self.node.refer("stimuli", [stimulus])

    def set_deadline(self, deadline: TimeLike) -> None:
        """Limits its response time, in place of an earlier limit."""
        constraints = self.system._sub_model("constraintsModel", "ConstraintsModel")
        for old in constraints.children("requirements"):
            if old.class_name == "ProcessRequirement" and self.node in old.references("process"):
                old.remove()
        requirement = constraints.create("requirements", "ProcessRequirement")
        requirement.set("name", f"Deadline_{self.name}")
        requirement.refer("process", [self.node])
        limit = requirement.create("limit", "TimeRequirementLimit")
        limit.set("limitType", "UpperLimit")
        limit.set("metric", "ResponseTime")
        _set_time(limit, "limitValue", deadline)

    def set_priority(self, priority: int) -> None:
        """Larger is more urgent."""
        for allocation in self.system.objects("TaskAllocation"):
            if self.node in allocation.references("task"):
                for old in allocation.children("schedulingParameters"):
                    old.remove()
                parameter = allocation.create("schedulingParameters", "SchedulingParameter")
                parameter.refer("key", [self.system._priority()])
                parameter.create("value", "IntegerObject").set("value", str(priority))


class Unit(Element):
    """A core or a GPU, with its scheduler."""

    frequency: Fraction
    scheduler: Node
    is_gpu = False

    def task(self, name: str, *, period: Optional[TimeLike] = None, offset: Optional[TimeLike] = None,
             deadline: Optional[TimeLike] = None, priority: Optional[int] = None, wcet: Optional[TimeLike] = None,
             bcet: Optional[TimeLike] = None, reads: Iterable[Label] = (), writes: Iterable[Label] = ()) -> Task:
        """A new task that runs here.

        period: it is activated periodically; by default others start it (`Task.offload`). deadline: by default the
        period; None without a period. wcet, bcet, reads, writes: those of its first runnable; on a GPU the execution
        time of its kernel, and the labels that it copies from and to the host."""
        node = self.system._sub_model("swModel", "SWModel").create("tasks", "Task")
        node.set("name", name)
        node.set("preemption", "preemptive")
        task = Task(self.system, node)
        task.unit = self
        allocation = self.system._sub_model("mappingModel", "MappingModel").create("taskAllocation", "TaskAllocation")
        allocation.refer("task", [node])
        allocation.refer("scheduler", [self.scheduler])
        allocation.refer("affinity", [self.node])
        if priority is not None:
            task.set_priority(priority)
        if period is not None:
            task.set_period(period, offset)
            deadline = period if deadline is None else deadline
        if deadline is not None:
            task.set_deadline(deadline)
        if wcet is not None:
            runnable = f"{name}_function"
            if self.is_gpu:
                self._kernel(task, runnable, wcet, bcet, list(reads), list(writes))
            else:
                task.runnable(runnable, wcet, bcet, reads=reads, writes=writes)
        return task

    def _kernel(self, task: Task, name: str, wcet: TimeLike, bcet: Optional[TimeLike], reads: list[Label],
                writes: list[Label]) -> None:
        """Copies to the device, the kernel, copies back: the accesses before and after the ticks."""
        runnable = task.runnable(name)
        for label in reads:
            runnable.read(label).write(self.system._on_device(label))
        runnable.execute(wcet, bcet)
        for label in writes:
            runnable.read(self.system._on_device(label)).write(label)


class System:
    """A system under construction, or the objects of a model that was read (`Model.edit`)."""

    def __init__(self, name: str = "model") -> None:
        self._tree = _core.Tree(f"{name}.amxmi")
        self._device_labels: dict[str, Label] = {}

    @classmethod
    def of(cls, model: Model) -> "System":
        """The objects of a model, which stays as it is."""
        system = cls.__new__(cls)
        system._tree = model._core.edit()
        system._device_labels = {}
        return system

    # ---- what there is

    def roots(self) -> list[Node]:
        """The root object of every file."""
        return self._tree.roots()

    def objects(self, class_name: str) -> list[Node]:
        """All objects of a class of AMALTHEA, such as "Task"."""
        return self._tree.objects(class_name)

    def find(self, class_name: str, name: str) -> Node:
        """The object of a class with this name. Raises KeyError."""
        nodes = self.objects(class_name)
        for node in nodes:
            if node.attribute("name") == name:
                return node
        raise UnknownNameError(class_name, name, [node.attribute("name") or "" for node in nodes])

    def task(self, name: str) -> Task:
        """A task of the model, to be changed. Raises KeyError."""
        return Task(self, self.find("Task", name))

    def runnable(self, name: str) -> Runnable:
        """A runnable of the model, to be changed. Raises KeyError."""
        return Runnable(self, self.find("Runnable", name))

    def _sub_model(self, feature: str, class_name: str) -> Node:
        for root in self.roots():
            for child in root.children(feature):
                return child
        return self.roots()[0].create(feature, class_name)

    # ---- hardware

    def core(self, name: str, clock: str = "1GHz", scheduling: str = "FixedPriorityPreemptive") -> Unit:
        """A new core with a scheduler of its own. scheduling: the name of AMALTHEA's scheduling algorithm."""
        return self._unit(name, clock, "CPU", scheduling)

    bind_resource = core

    def gpu(self, name: str, platform: str = "tx2", clock: str = "1GHz") -> Unit:
        """A new GPU; `platform` is its profile, built in or a JSON file."""
        unit = self._unit(name, clock, "GPU", "GpuTimeSlicing")
        property_ = unit.node.create("customProperties", "CustomProperty")
        property_.set("key", "gpu.platform")
        property_.create("value", "StringObject").set("value", platform)
        unit.is_gpu = True
        return unit

    def memory(self, name: str, latency: Optional[dict[Unit, int]] = None) -> Memory:
        """A new memory. latency: cycles that an access of a unit to a cache line takes, {core: 20}."""
        node = self._structure().create("modules", "Memory")
        node.set("name", name)
        node.refer("definition", [self._definition("MemoryDefinition", f"{name}_type", {"memoryType": "DRAM"})])
        for unit, cycles in (latency or {}).items():
            access = unit.node.create("accessElements", "HwAccessElement")
            access.set("name", f"{unit.name}_to_{name}")
            access.refer("destination", [node])
            for direction in ("readLatency", "writeLatency"):
                access.create(direction, "DiscreteValueConstant").set("value", str(cycles))
        return Memory(self, node)

    def _structure(self) -> Node:
        hardware = self._sub_model("hwModel", "HWModel")
        for structure in hardware.children("structures"):
            return structure
        structure = hardware.create("structures", "HwStructure")
        structure.set("name", "Board")
        structure.set("structureType", "System")
        return structure

    def _definition(self, class_name: str, name: str, attributes: dict[str, str]) -> Node:
        for node in self.objects(class_name):
            if node.attribute("name") == name:
                return node
        node = self._sub_model("hwModel", "HWModel").create("definitions", class_name)
        node.set("name", name)
        for attribute, value in attributes.items():
            node.set(attribute, value)
        return node

    def _unit(self, name: str, clock: str, kind: str, scheduling: str) -> Unit:
        node = self._structure().create("modules", "ProcessingUnit")
        node.set("name", name)
        node.refer("definition", [self._definition("ProcessingUnitDefinition", kind.capitalize(), {"puType": kind})])
        hertz = scaled(clock, HERTZ, 'a frequency, such as "1.5GHz"')
        domain = self._sub_model("hwModel", "HWModel").create("domains", "FrequencyDomain")
        domain.set("name", f"{name}_clock")
        value = domain.create("defaultValue", "Frequency")
        value.set("value", str(float(Fraction(hertz, 10**6))))
        value.set("unit", "MHz")
        node.refer("frequencyDomain", [domain])
        os_model = self._sub_model("osModel", "OSModel")
        systems = os_model.children("operatingSystems")
        system = systems[0] if systems else os_model.create("operatingSystems", "OperatingSystem")
        if not system.attribute("name"):
            system.set("name", "OS")
        scheduler = system.create("taskSchedulers", "TaskScheduler")
        scheduler.set("name", f"{name}_scheduler")
        scheduler.refer("definition", [self._scheduling(scheduling)])
        allocation = self._sub_model("mappingModel", "MappingModel").create("schedulerAllocation",
                                                                            "SchedulerAllocation")
        allocation.refer("scheduler", [scheduler])
        allocation.refer("responsibility", [node])
        allocation.refer("executingPU", [node])
        unit = Unit(self, node)
        unit.frequency = Fraction(hertz)
        unit.scheduler = scheduler
        return unit

    def _scheduling(self, name: str) -> Node:
        for node in self.objects("SchedulerDefinition"):
            if node.attribute("name") == name:
                return node
        node = self._sub_model("osModel", "OSModel").create("schedulerDefinitions", "SchedulerDefinition")
        node.set("name", name)
        if name.startswith("FixedPriority") or name == "OSEK":
            node.refer("processParameters", [self._priority()])
        return node

    def _priority(self) -> Node:
        for node in self.objects("SchedulingParameterDefinition"):
            if node.attribute("name") == "priority":
                return node
        node = self._sub_model("osModel", "OSModel").create("schedulingParameterDefinitions",
                                                            "SchedulingParameterDefinition")
        node.set("name", "priority")
        node.set("type", "Integer")
        node.set("mandatory", "true")
        return node

    # ---- software

    def label(self, name: str, size: str = "4B", memory: Optional[Memory] = None) -> Label:
        """New data; `memory` is where it is."""
        label = Label(self, self._sub_model("swModel", "SWModel").create("labels", "Label"))
        label.node.set("name", name)
        value = label.node.create("size", "DataSize")
        value.set("value", str(scaled(size, BYTES, 'a size, such as "64kB"')))
        value.set("unit", "B")
        if memory is not None:
            self._place(label, memory.node)
        return label

    def _place(self, label: Label, memory: Node) -> None:
        mapping = self._sub_model("mappingModel", "MappingModel").create("memoryMapping", "MemoryMapping")
        mapping.refer("abstractElement", [label.node])
        mapping.refer("memory", [memory])

    def _on_device(self, label: Label) -> Label:
        """The copy of a label on the device."""
        if label.name not in self._device_labels:
            size = label.node.children("size")[0].attribute("value") or "4"
            device = self.label(f"{label.name}_device", f"{size}B")
            for mapping in self.objects("MemoryMapping"):
                if label.node in mapping.references("abstractElement"):
                    self._place(device, mapping.references("memory")[0])
            self._device_labels[label.name] = device
        return self._device_labels[label.name]

    def chain(self, name: str, tasks: list[Task], reaction: Optional[TimeLike] = None,
              age: Optional[TimeLike] = None) -> Node:
        """A new event chain along tasks: each activates the next one or passes labels to it. reaction, age: limits on
        its end-to-end latency."""
        if len(tasks) < 2:
            raise ValueError("a chain has at least two tasks")
        events_model = self._sub_model("eventModel", "EventModel")
        constraints = self._sub_model("constraintsModel", "ConstraintsModel")
        events = []
        for task, kind in [(tasks[0], "start"), *((task, "terminate") for task in tasks)]:
            event = events_model.create("events", "ProcessEvent")
            event.set("name", f"{name}_{task.name}_{kind}")
            event.refer("entity", [task.node])
            event.set("eventType", kind)
            events.append(event)
        chain = constraints.create("eventChains", "EventChain")
        chain.set("name", name)
        chain.refer("stimulus", [events[0]])
        chain.refer("response", [events[-1]])
        for number, (stimulus, response) in enumerate(zip(events, events[1:])):
            part = chain.create("items", "EventChainContainer").create("eventChain", "SubEventChain")
            part.set("name", f"{name}_{number}")
            part.refer("stimulus", [stimulus])
            part.refer("response", [response])
        for kind, limit in (("Reaction", reaction), ("Age", age)):
            if limit is not None:
                constraint = constraints.create("timingConstraints", "EventChainLatencyConstraint")
                constraint.set("name", f"{name}_{kind.lower()}")
                constraint.refer("scope", [chain])
                constraint.set("type", kind)
                _set_time(constraint, "maximum", limit)
        return chain

    # ---- results

    def model(self) -> Model:
        """The model as it is now."""
        return parse(self._tree.files())

    def analyze(self, **options: Any) -> Results:
        """As `Model.analyze`."""
        return self.model().analyze(**options)

    analyse = analyze

    def simulate(self, runs: int = 1, **options: Any) -> Distribution:
        """As `Model.simulate`."""
        return self.model().simulate(runs, **options)

    def explore(self, **options: Any) -> Exploration:
        """As `Model.explore`."""
        return self.model().explore(**options)

    def save(self, path: Path) -> None:
        """Writes the model as AMALTHEA, to a file, or to a folder if it has several files."""
        self.model().save(path)


def _below(node: Node, class_name: str) -> list[Node]:
    """All objects of a class below this one, in their order."""
    found = []
    open_nodes = [node]
    while open_nodes:
        one = open_nodes.pop()
        if one.class_name == class_name:
            found.append(one)
        open_nodes.extend(reversed(one.children()))
    return found


_NUMBERS = ("value", "lowerBound", "upperBound", "average", "mean", "sd")


def _scale(node: Node, factor: Fraction) -> None:
    """Multiplies what the deviations of ticks below this object state, in the form in which each number stands."""
    for child in node.children():
        for name in _NUMBERS:
            text = child.attribute(name)
            if text is None or child.class_name in ("StringObject", "IntegerObject"):
                continue
            scaled_value = Fraction(text) * factor
            whole = "." not in text and "e" not in text.lower()
            child.set(name, str(max(1, round(scaled_value)) if whole and Fraction(text) > 0 else float(scaled_value)))
        _scale(child, factor)


def _set_time(node: Node, feature: str, time: TimeLike) -> None:
    for old in node.children(feature):
        old.remove()
    value, unit = time_parts(time)
    child = node.create(feature, "Time")
    child.set("value", str(value))
    child.set("unit", unit)


__all__ = ["System", "Task", "Runnable", "Label", "Memory", "Unit", "Node"]
