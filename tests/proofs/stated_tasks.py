# SPDX-License-Identifier: Apache-2.0
"""What an .amxmi file of any release since 0.8.0 states of its tasks, for comparison with certificates.

An independent reading: standard library only, and nothing of the product. It knows what most models consist of, and
refuses the rest (Unreadable) rather than guess. Times are picoseconds.
"""
import functools
import math
import re
import urllib.parse
import xml.etree.ElementTree
from fractions import Fraction

XSI = "{http://www.w3.org/2001/XMLSchema-instance}type"
TIME = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
HERTZ = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
BITS = {"bit": 1, "B": 8, "kB": 8 * 10**3, "MB": 8 * 10**6, "GB": 8 * 10**9,
        "KiB": 8 * 2**10, "MiB": 8 * 2**20, "kbit": 10**3, "Mbit": 10**6, "Kibit": 2**10, "Mibit": 2**20}
# A schedule point may have no effect.
INSTANT = {"ModeLabelAccess", "InterProcessTrigger", "InterProcessActivation", "SetEvent", "ClearEvent",
           "SchedulePoint"}
EXECUTES = {"Ticks", "RunnableInstructions", "ExecutionNeed", "LabelAccess"}
BY_PRIORITY = {"OSEK", "FixedPriorityPreemptive", "FPP", "PriorityBased", "PriorityBasedRoundRobin"}


class Unreadable(Exception):
    """Something that this reading does not know."""


def type_of(node):
    return node.get(XSI, "").split(":")[-1]


def names_in(text):
    """The names of references such as "Core%201?type=ProcessingUnit"."""
    if text and ("//@" in text or "#" in text):
        raise Unreadable("references by position or into other files")
    return [urllib.parse.unquote_plus(word.split("?type=")[0]) for word in (text or "").split()]


def name_in(node, *attributes):
    for attribute in attributes:
        if node.get(attribute) is not None:
            return names_in(node.get(attribute))[0]
    return None


def quantity(node, units, otherwise="ps"):
    if node is None:
        return 0
    return Fraction(node.get("value", "0")) * units[node.get("unit", otherwise)]


def bounds(value):
    """The least and the largest value of a deviation, in the form of any release."""
    if value is None:
        raise Unreadable("a value that is not stated")
    deviation = value.find("deviation")
    if deviation is not None:  # until 0.9.2
        low, high = deviation.find("lowerBound"), deviation.find("upperBound")
        if high is None:
            raise Unreadable("a distribution without bounds")
        return Fraction(0 if low is None else low.get("value", "0")), Fraction(high.get("value", "0"))
    if value.get("value") is not None or "Constant" in type_of(value):
        return (Fraction(value.get("value", "0")),) * 2
    if value.get("upperBound") is None:
        raise Unreadable("a distribution without bounds")
    return Fraction(value.get("lowerBound", "0")), Fraction(value.get("upperBound"))


class Path:
    """What items take: least and most time, and how many there are, since each may add a picosecond of rounding.

    What they trigger: stimulus and least time before. The longest group without preemption, what runnables take, and
    what this reading does not know."""

    def __init__(self, least=0, most=0, steps=0, triggers=(), section=0, runnables=(), unknown=()):
        self.least, self.most, self.steps, self.triggers = Fraction(least), Fraction(most), steps, list(triggers)
        self.section, self.runnables, self.unknown = Fraction(section), list(runnables), set(unknown)

    def then(self, other):
        later = [(name, least + self.least) for name, least in other.triggers]
        return Path(self.least + other.least, self.most + other.most, self.steps + other.steps, self.triggers + later,
                    max(self.section, other.section), self.runnables + other.runnables, self.unknown | other.unknown)

    @staticmethod
    def one_of(paths):
        return Path(min(p.least for p in paths), max(p.most for p in paths), sum(p.steps for p in paths),
                    sum((p.triggers for p in paths), []), max(p.section for p in paths),
                    sum((p.runnables for p in paths), []), set().union(*(p.unknown for p in paths)))


class Model:
    def __init__(self, path):
        self.root = xml.etree.ElementTree.parse(path).getroot()
        self.version = tuple(map(int, re.search(r"/amalthea/(\d+)\.(\d+)\.(\d+)", self.root.tag).groups()))
        if self.root.find("osModel//osOverheads") is not None or self.root.find("osModel//apiOverhead") is not None:
            raise Unreadable("overheads of an operating system")
        self.processes = {}
        for kind in ("tasks", "isrs"):
            for node in self.root.iterfind("swModel/" + kind):
                if self.processes.setdefault(node.get("name"), node) is not node:
                    raise Unreadable("tasks of the same name")
        self.stimuli = {node.get("name"): node for node in self.root.iterfind("stimuliModel/stimuli")}
        self.schedulers = {node.get("name"): node for tag in ("taskSchedulers", "interruptControllers")
                           for node in self.root.iterfind("osModel/operatingSystems/" + tag)}
        self.allocations = {}
        for process in ("task", "isr"):
            for node in self.root.iterfind("mappingModel/%sAllocation" % process):
                if self.allocations.setdefault(name_in(node, process), node) is not node:
                    raise Unreadable("several allocations of a task")

    def named(self, where, name):
        found = [node for node in self.root.iterfind(where) if node.get("name") == name]
        if len(found) != 1:
            raise Unreadable("a reference with several or no targets")
        return found[0]

    def units_of(self, scheduler):
        units = []
        for node in self.root.iterfind("mappingModel/*"):
            if node.tag in ("schedulerAllocation", "coreAllocation") and name_in(node, "scheduler") == scheduler:
                units += names_in(node.get("responsibility") or node.get("core"))
        parent = self.parent_of(scheduler)
        return self.units_of(parent) if not units and parent else units

    def parent_of(self, scheduler):
        association = self.schedulers[scheduler].find("parentAssociation")
        return None if association is None else name_in(association, "parent")

    def scheduler_of(self, process):
        if process not in self.allocations:
            raise Unreadable("a task without allocation")
        return name_in(self.allocations[process], "scheduler", "controller")

    def cores_of(self, process):
        allocation = self.allocations[process]
        affinity = names_in(allocation.get("affinity") or allocation.get("coreAffinity"))
        units = self.units_of(self.scheduler_of(process))
        return [unit for unit in units if not affinity or unit in affinity] or affinity

    @functools.lru_cache(None)
    def hertz_and_kind(self, core):
        """Its frequency, and its definition."""
        if self.root.find("hwModel/system") is not None:  # before 0.9.0
            unit = self.named("hwModel/system//cores", core)
            prescaler = unit.find("prescaler")
            quartz = self.named("hwModel/system//quartzes", name_in(prescaler, "quartz"))
            ratio = Fraction(prescaler.get("clockRatio", "0")) or 1
            hertz = ratio * quantity(quartz.find("frequency"), HERTZ, "Hz")
            return hertz, self.named("hwModel/coreTypes", name_in(unit, "coreType"))
        unit = self.named("hwModel//modules", core)
        domain = self.named("hwModel/domains", name_in(unit, "frequencyDomain"))
        kind = self.named("hwModel/definitions", name_in(unit, "definition"))
        return quantity(domain.find("defaultValue"), HERTZ), kind

    def rates(self, core, category):
        """Instructions per cycle of a core: the least and the largest."""
        kind = self.hertz_and_kind(core)[1]
        if kind.tag == "coreTypes":
            rate = Fraction(kind.get("instructionsPerCycle", "0")) or 1
            return rate, rate
        found = [Fraction(self.named("hwModel/featureCategories[@name='%s']/features" % category, name).get("value"))
                 for where, _, name in (feature.partition("/") for feature in names_in(kind.get("features")))
                 if where == category]
        return (min(found), max(found)) if found else (Fraction(1), Fraction(1))

    def step(self, core, least, most):
        hertz = self.hertz_and_kind(core)[0]
        return Path(least * 10**12 / hertz, most * 10**12 / hertz)

    def items(self, node, core, within=()):
        path = Path()
        for child in node:
            if child.tag in ("callGraph", "activityGraph"):
                path = path.then(self.items(child, core, within))
            elif child.tag in ("items", "graphEntries", "calls", "runnableItems"):
                path = path.then(self.item(child, core, within))
        return path

    def item(self, item, core, within):
        path = self.unconditional(item, core, within)
        path.steps += 1
        return path if item.find("counter") is None else Path.one_of([path, Path()])

    def unconditional(self, item, core, within):
        kind = type_of(item)
        if kind in ("InterProcessTrigger", "InterProcessActivation"):
            return Path(triggers=[(name_in(item, "stimulus"), Fraction(0))])
        if kind in INSTANT:
            return Path()
        if kind in ("CallSequence", "Group"):
            if item.get("ordered") == "false":
                raise Unreadable("unordered groups")
            path = self.items(item, core, within)
            if item.get("interruptible") == "false":
                path.section = path.most
            return path
        if kind in ("ModeSwitch", "ProbabilitySwitch", "Switch"):
            entries = list(item.iterfind("entries")) + list(item.iterfind("defaultEntry"))
            paths = [self.items(entry, core, within) for entry in entries]
            if kind != "ProbabilitySwitch" and item.find("defaultEntry") is None:
                paths.append(Path())
            return Path.one_of(paths or [Path()])
        if kind in ("RunnableCall", "TaskRunnableCall"):
            name = name_in(item, "runnable")
            if name in within or item.find("statistic") is not None:
                raise Unreadable("calls that call themselves, or a statistic of calls")
            runnable = self.named("swModel/runnables", name)
            path = self.items(runnable, core, within + (name,))
            if runnable.find("executionCondition") is not None:
                path = Path.one_of([path, Path()])
            path.runnables = [path.most]
            return path
        if kind == "LabelAccess":
            return self.access(item, core)
        if kind in EXECUTES:
            return self.execution(item, kind, core)
        if kind in ("WaitEvent", "SemaphoreAccess"):
            return Path(unknown=[kind])
        raise Unreadable(kind)

    def execution(self, item, kind, core):
        definition = self.hertz_and_kind(core)[1].get("name")
        own = [one for one in item.iterfind("extended") if name_in(one, "key") == definition]
        node = own[0] if own else item.find("default")
        category = "Instructions"
        if kind == "ExecutionNeed" and node is None:  # since 0.9.3
            node = item.find("needs")
            if node is None or len(item.findall("needs")) != 1:
                raise Unreadable("several needs")
            category = name_in(node, "key")
        if node is None:
            raise Unreadable("ticks of another kind of core")
        value = node.find("value")
        least, most = bounds(node if value is None else value)
        slow, fast = (1, 1) if kind == "Ticks" else self.rates(core, category)
        return self.step(core, least / fast, most / slow)

    def access(self, item, core):
        """Each cache line costs the latency of the core's access to the memory of the label."""
        label = name_in(item, "data")
        memories = [name_in(node, "memory") for node in self.root.iterfind("mappingModel/memoryMapping")
                    if label in names_in(node.get("abstractElement"))]
        if not memories:
            return Path()
        if item.find("statistic") is not None:
            raise Unreadable("a statistic of accesses")
        bits = quantity(self.named("swModel/labels", label).find("size"), BITS)
        unit = self.named("hwModel//modules", core)
        ways = [way for way in unit.iterfind("accessElements") if name_in(way, "destination") == memories[0]]
        way = ways[0].find("writeLatency" if item.get("access") == "write" else "readLatency") if ways else None
        if way is None or len(ways) > 1 or ways[0].find("dataRate") is not None:
            raise Unreadable("accesses without a latency, or with a data rate")
        low, high = bounds(way)
        lines = math.ceil(bits / self.line_of(core))
        return self.step(core, lines * low, lines * high)

    def line_of(self, core):
        """Bits of a cache line: of the core's own caches, else of those next to it."""
        unit = self.named("hwModel//modules", core)
        beside = next(node for node in self.root.iterfind("hwModel//structures") if unit in list(node))
        caches = list(unit.iterfind("caches")) or [node for node in beside if type_of(node) == "Cache"]
        lines = [quantity(self.named("hwModel/definitions", name_in(cache, "definition")).find("lineSize"), BITS)
                 for cache in caches]
        if not lines or 0 in lines:
            raise Unreadable("a core without cache lines")
        return min(lines)

    def triggers_of(self, stimulus):
        """The tasks that trigger the stimulus, with the least time before each trigger."""
        def is_named(where):
            items = [item for item in where.iter() if "InterProcess" in type_of(item)]
            return any(name_in(item, "stimulus") == stimulus for item in items)
        anywhere = any(map(is_named, self.root.iterfind("swModel/runnables")))
        return [(name, before) for name, node in self.processes.items() if anywhere or is_named(node)
                for found, before in Task(self, name).any_path.triggers if found == stimulus]

    def is_of_gpu(self, name):
        """Whether it waits and triggers, or is triggered by such a task. Where it runs decides what both execute."""
        waits = {task for task, node in self.processes.items()
                 if any(type_of(item) == "WaitEvent" for item in node.iter("items"))}
        triggered = {name_in(item, "stimulus") for task in waits for item in self.processes[task].iter("items")
                     if type_of(item) == "InterProcessTrigger"}
        return (name in waits and triggered) or triggered & set(names_in(self.processes[name].get("stimuli")))


class Task:
    """A task or an interrupt on its only core."""

    def __init__(self, model, name):
        self.model, self.name, self.node = model, name, model.processes[name]
        self.isr = self.node.tag == "isrs"
        cores = model.cores_of(name)
        if len(cores) != 1:
            raise Unreadable("tasks that may run on several cores")
        self.core = cores[0]
        self.preemption = self.node.get("preemption", "preemptive")
        self.stimuli = names_in(self.node.get("stimuli"))

    @functools.cached_property
    def any_path(self):
        return self.model.items(self.node, self.core)

    @property
    def path(self):
        for kind in sorted(self.any_path.unknown):
            raise Unreadable(kind)
        return self.any_path

    @property
    def section(self):
        """Its longest part that no task of its core preempts."""
        if self.preemption == "non_preemptive" or "SemaphoreAccess" in self.any_path.unknown:
            return self.path.most
        if self.preemption == "cooperative":
            if any(type_of(item) in EXECUTES for item in self.node.iter()):
                raise Unreadable("cooperative tasks that execute outside of runnables")
            return max([self.path.section] + self.path.runnables)
        return self.any_path.section

    def arrivals(self, stimulus):
        """Period, least distance and jitter of the occurrences of a stimulus; None: tasks trigger it."""
        node = self.model.stimuli[stimulus]
        kind = type_of(node)
        if kind in ("InterProcess", "InterProcessStimulus"):
            return None
        every = int(node.find("counter").get("prescaler", "1")) if node.find("counter") is not None else 1
        if kind in ("Periodic", "PeriodicStimulus"):
            jitter = node.find("jitter")
            if node.find("stimulusDeviation") is not None or (jitter is not None and jitter.find("upperBound") is None):
                raise Unreadable("a jitter of an early release, or without bounds")
            spread = quantity(node.find("jitter/upperBound"), TIME) - quantity(node.find("jitter/lowerBound"), TIME)
            return tuple(quantity(node.find(one), TIME) * every for one in ("recurrence", "minDistance")) + (spread,)
        if kind == "RelativePeriodicStimulus":
            return quantity(node.find("nextOccurrence/lowerBound"), TIME) * every, 0, 0
        raise Unreadable(kind)

    @property
    def period(self):
        if len(self.stimuli) != 1 or not (found := self.arrivals(self.stimuli[0])):
            raise Unreadable("a period of several stimuli, or of a trigger")
        return found[0]

    @property
    def deadline(self):
        limits = [quantity(limit.find("limitValue"), TIME)
                  for node in self.model.root.iterfind("constraintsModel/requirements")
                  if name_in(node, "process") == self.name
                  for limit in node.iterfind("limit")
                  if limit.get("metric") == "ResponseTime" and limit.get("limitType") == "UpperLimit"]
        return min(limits) if limits else self.period

    def order(self):
        """Its place among the tasks of its core: pairs of a scheduler and a number, from the top; larger first."""
        model, scheduler = self.model, self.model.scheduler_of(self.name)
        if self.isr:
            return [("", 1), ("isr", int(model.allocations[self.name].get("priority", "0")))]
        node = model.schedulers[scheduler]
        algorithm = node.find("schedulingAlgorithm")
        kind = type_of(algorithm) if algorithm is not None else name_in(node, "definition") or "FPP"
        if kind == "RateMonotonic":
            own = -self.period
        elif kind == "DeadlineMonotonic":
            own = -self.deadline
        elif kind in BY_PRIORITY:
            own = self.priority(model.allocations[self.name])
        else:
            raise Unreadable(kind)
        places = [(scheduler, own)]
        while (parent := model.parent_of(scheduler)) is not None:
            places.insert(0, (parent, self.priority(model.schedulers[scheduler].find("parentAssociation"))))
            scheduler = parent
        return [("", 0)] + places

    def priority(self, node):
        """Of an allocation or association; of releases until 0.8.0 that of the task."""
        if self.model.version <= (0, 8, 0):
            return int(self.node.get("priority", "0"))
        for one in node.iterfind("schedulingParameters"):
            if one.get("priority") is not None:
                return int(one.get("priority"))
            if one.get("key") is not None and name_in(one, "key") == "priority":
                return int(one.find("value").get("value", "0"))
        for one in self.node.iterfind("customProperties"):  # of a task that was converted from 0.8.0
            if one.get("key") == "priority":
                return int(one.find("value").get("value"))
        return 0


def compared(places, others):
    """-1, 0 or 1; None: nothing states which is first."""
    for (scheduler, own), (other, its) in zip(places, others):
        if scheduler != other:
            return None
        if own != its:
            return 1 if own > its else -1
    return 0 if len(places) == len(others) else None
