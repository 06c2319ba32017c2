# SPDX-License-Identifier: Apache-2.0
"""Inputs that grow in one dimension each: a function from n to the text of a model, a trace or input of `gpu`."""

import json

BEGIN = ('<?xml version="1.0" encoding="UTF-8"?>\n<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" '
         'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:am="http://app4mc.eclipse.org/amalthea/3.3.0">')
PERIODIC = "p?type=PeriodicStimulus"


def each(count, text):
    return "".join(text.replace("#", str(i)) for i in range(count))


def ticks(cycles=1000):
    return (f'<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueStatistics" lowerBound="{cycles}" '
            f'upperBound="{2 * cycles}" average="{1.5 * cycles}"/></items>')


def properties(**values):
    return "".join(f'<customProperties key="gpu.{key}"><value xsi:type="am:StringObject" value="{value}"/>'
                   "</customProperties>" for key, value in values.items())


def task(name, items, stimuli=PERIODIC, own=""):
    """T0 has also a runnable that traces and `calibrate` know."""
    items = (call("R0") if name == "T0" else "") + items
    return (f'<tasks name="{name}" stimuli="{stimuli}" multipleTaskActivationLimit="0">{own}<activityGraph>{items}'
            "</activityGraph></tasks>")


def runnable(name, items, own=""):
    return f'<runnables name="{name}">{own}<activityGraph>{items}</activityGraph></runnables>'


def call(name):
    return f'<items xsi:type="am:RunnableCall" runnable="{name}?type=Runnable"/>'


def stimulus(name, milliseconds=10):
    return (f'<stimuli xsi:type="am:PeriodicStimulus" name="{name}"><recurrence value="{milliseconds}" unit="ms"/>'
            "</stimuli>")


def model(software="", tasks=("T0",), cores=1, stimuli="", os="", events="", constraints="", gpu=()):
    """A whole model: without `software`, with one small task. `gpu`: the tasks on its GPU, which it has only then."""
    if not any(f'<tasks name="{name}"' in software for name in tasks):
        software = task("T0", "") + software
    software += runnable("R0", ticks())
    units = each(cores, '<modules xsi:type="am:ProcessingUnit" name="C#" frequencyDomain="Clock?type=FrequencyDomain" '
                        'definition="Cpu?type=ProcessingUnitDefinition"/>')
    allocation = ('<schedulerAllocation scheduler="S#?type=TaskScheduler" responsibility="C#?type=ProcessingUnit" '
                  'executingPU="C#?type=ProcessingUnit"/>')
    mapping = each(cores, allocation)
    schedulers = each(cores, '<taskSchedulers name="S#" definition="Fixed?type=SchedulerDefinition"/>')
    for index, name in enumerate(tasks):
        core = index % cores
        mapping += (f'<taskAllocation task="{name}?type=Task" scheduler="S{core}?type=TaskScheduler" '
                    f'affinity="C{core}?type=ProcessingUnit"><schedulingParameters '
                    'key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" '
                    f'value="{len(tasks) - index}"/></schedulingParameters></taskAllocation>')
    if gpu:
        units += ('<modules xsi:type="am:ProcessingUnit" name="CG" frequencyDomain="Clock?type=FrequencyDomain" '
                  f'definition="Gpu?type=ProcessingUnitDefinition">{properties(platform="tx2")}</modules>')
        schedulers += '<taskSchedulers name="SG" definition="GpuTimeSlicing?type=SchedulerDefinition"/>'
        os += '<schedulerDefinitions name="GpuTimeSlicing"/>'
        mapping += allocation.replace("#", "G") + "".join(
            f'<taskAllocation task="{name}?type=Task" scheduler="SG?type=TaskScheduler" '
            'affinity="CG?type=ProcessingUnit"/>' for name in gpu)
    return (f'{BEGIN}<swModel>{software}</swModel><hwModel><definitions xsi:type="am:ProcessingUnitDefinition" '
            'name="Cpu" puType="CPU"/><definitions xsi:type="am:ProcessingUnitDefinition" name="Gpu" puType="GPU"/>'
            f'<structures name="Board" structureType="System">{units}</structures><domains '
            'xsi:type="am:FrequencyDomain" name="Clock"><defaultValue value="1.0" unit="GHz"/></domains></hwModel>'
            f'<osModel><operatingSystems name="OS">{schedulers.replace("Fixed?", "FixedPriorityPreemptive?")}'
            '</operatingSystems><schedulerDefinitions name="FixedPriorityPreemptive" '
            'processParameters="priority?type=SchedulingParameterDefinition"/><schedulingParameterDefinitions '
            f'name="priority" type="Integer"/>{os}</osModel><stimuliModel>{stimulus("p")}{stimuli}</stimuliModel>'
            f'<eventModel>{events}</eventModel><constraintsModel>{constraints}</constraintsModel>'
            f'<mappingModel>{mapping}</mappingModel></am:Amalthea>')


def names(count):
    return [f"T{i}" for i in range(count)]


def attributes(n):
    """Of elements with as many as --max-attributes admits."""
    return model(each(max(1, n // 500), "<labels name='l#'" + " ".join(f" a{i}=''" for i in range(min(n, 500))) + "/>"))


def depth(n):
    return model(task("T0", each(n, '<items xsi:type="am:Group" name="g#">') + ticks() + "</items>" * n))


def many_tasks(n, cores):
    return model("".join(task(name, ticks(1)) for name in names(n)), names(n), cores)


def access(label):
    return f'<items xsi:type="am:LabelAccess" data="{label}?type=Label" access="read"/>'


def accesses(n, labels):
    reads = "".join(access(f"l{i % labels}") for i in range(n))
    return model(task("T0", call("R")) + runnable("R", reads)
                 + each(labels, '<labels name="l#"><size value="1" unit="B"/></labels>'))


def chain_events(n):
    return each(n, '<events xsi:type="am:ProcessEvent" name="e#" eventType="activate" entity="T0?type=Task"/>')


def chains(n):
    return model(events=chain_events(2), constraints=each(
        n, '<eventChains name="c#" stimulus="e0?type=ProcessEvent" response="e1?type=ProcessEvent"/>'))


def chain_length(n):
    items = "".join(
        f'<items xsi:type="am:EventChainContainer"><eventChain name="s{i}" stimulus="e{i}?type=ProcessEvent" '
        f'response="e{i + 1}?type=ProcessEvent"/></items>' for i in range(n))
    return model(events=chain_events(n + 1), constraints=f'<eventChains name="c" stimulus="e0?type=ProcessEvent" '
                 f'response="e{n}?type=ProcessEvent" itemType="sequence">{items}</eventChains>')


def semaphores(n):
    def use(i, access):
        return f'<items xsi:type="am:SemaphoreAccess" semaphore="s{i}?type=Semaphore" access="{access}"/>'
    of_task = [[], [], [], []]
    for i in range(n):
        for t in (i % 4, (i + 1) % 4):
            of_task[t].append(use(i, "request") + ticks(1) + use(i, "release"))
    return model("".join(task(f"T{t}", ticks(1) + "".join(items)) for t, items in enumerate(of_task)), names(4), 2,
                 os=each(n, '<semaphores name="s#" semaphoreType="CountingSemaphore" initialValue="0" maxValue="1" '
                            'priorityCeilingProtocol="false"/>'))


def events(n):
    item = '<items xsi:type="am:{}"{}><eventMask events="e#?type=OsEvent"/></items>'
    sets = each(n, item.format("SetEvent", ' process="T1?type=Task"'))
    waits = each(n, item.format("WaitEvent", ' waitingBehaviour="passive"') + item.format("ClearEvent", ""))
    return model(task("T0", ticks(1) + sets) + task("T1", waits + ticks(1)) + each(n, '<events name="e#"/>'), names(2),
                 2)


def modes(n):
    sets = each(n, '<items xsi:type="am:ModeLabelAccess" data="m#?type=ModeLabel" access="set" value="1"/>')
    labels = each(n, '<modeLabels name="m#" mode="N?type=Mode" initialValue="0"/>')
    return model(task("T0", ticks() + sets) + '<modes xsi:type="am:NumericMode" name="N"/>' + labels)


def stimuli(n):
    return model(task("T0", ticks(1), each(n, "s#?type=PeriodicStimulus ").strip()), stimuli="".join(
        stimulus(f"s{i}") for i in range(n)))


def gpu_model(operations, tasks, blocks):
    """GPU tasks, each in a stream of its own, that launch as many kernels."""
    kernels = "".join(runnable(f"k{i}", ticks(1), properties(grid=blocks, block=256)) for i in range(operations))
    calls = "".join(call(f"k{i}") for i in range(operations))
    return model(task("T0", "") + kernels + "".join(
        task(f"G{i}", calls, own=properties(context="c", stream=f"s{i}")) for i in range(tasks)),
        gpu=[f"G{i}" for i in range(tasks)])


def scenario(kernels, streams, blocks):
    return json.dumps({"platform": "tx2", "operations": [
        {"kernel": f"k{i}", "stream": f"s{i % streams}", "blocks": blocks, "threads": 256, "registers": 32,
         "duration": "10us"} for i in range(kernels)]})


def kernels(n):
    return json.dumps({"g_max": 8, "kernels": [{"r": i, "C": 4, "g": 1 + i % 4, "T": 10 * n} for i in range(n)]})


def processes(n, operations=1):
    """That share a GPU in time slices."""
    segment = {"gpu": [{"kernel": "1us"}] * operations}
    return json.dumps({"tasks": [
        {"name": f"T{i}", "core": f"C{i}", "priority": 1, "period": "1s", "wait": "suspend",
         "segments": [{"cpu": "1us"}, segment]} for i in range(n)]})


def btf(lines):
    """After one job with a runnable, without which nothing can be calibrated."""
    job = ["0,p,0,T,T0,0,activate", "0,C0,0,T,T0,0,start", "0,T0,0,R,R0,0,start", "1500,T0,0,R,R0,0,terminate",
           "1500,C0,0,T,T0,0,terminate"]
    return "#version 2.1.5\n#timeScale ns\n" + "\n".join(job + lines) + "\n"


def trace_events(n):
    lines = []
    for i in range(1, n + 1):
        at = i * 10_000_000
        lines += [f"{at},p,{i},T,T0,{i},activate", f"{at},C0,0,T,T0,{i},start", f"{at + 1500},C0,0,T,T0,{i},terminate"]
    return btf(lines)


def open_jobs(n):
    lines = [f"{i * 10_000_000},p,{i},T,T0,{i},activate" for i in range(1, n + 1)]
    for i in range(1, n + 1):
        at = (n + i) * 10_000_000
        lines += [f"{at},C0,0,T,T0,{n - i % 10},start", f"{at + 1},C0,0,T,T0,{n - i % 10},preempt"]
    return btf(lines)


def open_runnables(n):
    lines = ["2000,p,1,T,T0,1,activate", "2000,C0,0,T,T0,1,start"]
    return btf(lines + [f"{2000 + i},T0,1,R,R0,{i},{what}" for what in ("start", "suspend") for i in range(n)])


def slices(n):
    """Of runnables within one job, as the command writes them."""
    def event(**keys):
        return json.dumps({"pid": 1, "tid": 1, **keys})
    lines = [event(ph="M", pid=6, name="process_name", args={"name": "states of processes"}),
             event(ph="M", pid=1, name="thread_name", args={"name": "C0"}),
             event(ph="M", pid=6, name="thread_name", args={"name": "T0"}),
             event(ph="i", pid=6, name="activate", ts=0)]
    at = 0
    for job, runs in enumerate([1, n]):
        if job:
            lines.append(event(ph="i", pid=6, name="activate", ts=10_000))
        lines.append(event(ph="B", name="T0", cat="task", ts=10_000 * job, args={"instance": job}))
        for i in range(runs):
            at = 10_000 * job + i / 1000
            lines.append(event(ph="B", name="R0", cat="runnable", ts=at, args={"instance": i}))
            lines.append(event(ph="E", ts=round(at + 0.001, 3)))
        lines.append(event(ph="E", ts=10_000 * job + n / 1000))
    return "[" + ",\n".join(lines) + "]\n"


def labels_read(n):
    return model('<labels name="l"/>' + each(n, runnable("r#", access("l"))))


# dimension: kind of input: (function, smallest n, largest n)
def table(n):
    """Tasks on one core, as `amalthea new` reads them."""
    return ("core,frequency,scheduler\nC0,1 GHz,FixedPriorityPreemptive\n"
            "task,core,period,priority,deadline,time,preemption\n"
            + each(n, "T#,C0,1 s,#,1 s,1 us,preemptive\n"))


DIMENSIONS = {
    "elements": {"model": (lambda n: model(each(n, '<labels name="l#"/>')), 4_000, 1_024_000)},
    "attributes": {"model": (attributes, 4_000, 1_024_000)},
    "list length": {"model": (lambda n: model(task("T0", ticks(), " ".join([PERIODIC] * n))), 4_000, 800_000)},
    "properties": {"model": (lambda n: model(f'<labels name="l">{properties(grid=2) * n}</labels>'), 500, 256_000)},
    "siblings": {"model": (lambda n: model("<runnables/>" * n), 500, 1_024_000)},
    "depth": {"model": (depth, 10, 480)},
    "references to one target": {"model": (labels_read, 250, 128_000)},
    "tasks": {"model": (lambda n: many_tasks(n, max(1, n // 8)), 16, 4_096), "processes": (processes, 4, 1_024)},
    "tasks on one core": {"model": (lambda n: many_tasks(n, 1), 16, 4_096)},
    "runnables": {"model": (lambda n: model(task("T0", "".join(call(f"r{i}") for i in range(n))) + "".join(
        runnable(f"r{i}", ticks(1)) for i in range(n))), 250, 128_000)},
    "labels": {"model": (lambda n: accesses(n, n), 250, 128_000)},
    "accesses": {"model": (lambda n: accesses(n, 1), 250, 256_000)},
    "chains": {"model": (chains, 100, 16_000)},
    "chain length": {"model": (chain_length, 100, 16_000)},
    "semaphores": {"model": (semaphores, 4, 2_048)},
    "events": {"model": (events, 16, 8_192)},
    "modes": {"model": (modes, 100, 64_000)},
    "stimuli": {"model": (stimuli, 16, 8_192)},
    "findings": {"model": (lambda n: model(each(n, '<unknown# name="u#"/>')), 500, 256_000)},
    "GPU operations": {"model": (lambda n: gpu_model(n, 1, 4), 16, 64_000),
                       "scenario": (lambda n: scenario(n, 4, 4), 100, 64_000), "kernels": (kernels, 16, 16_384),
                       "processes": (lambda n: processes(2, n), 16, 64_000)},
    "streams": {"model": (lambda n: gpu_model(1, n, 4), 8, 4_096),
                "scenario": (lambda n: scenario(n, n, 4), 16, 16_384)},
    "blocks": {"model": (lambda n: gpu_model(1, 2, n), 100, 128_000),
               "scenario": (lambda n: scenario(4, 2, n), 100, 128_000)},
    "trace events": {"trace": (trace_events, 500, 256_000)},
    "open jobs": {"trace": (open_jobs, 500, 64_000)},
    "open runnables": {"trace": (open_runnables, 500, 128_000)},
    "slices": {"trace": (slices, 500, 128_000)},
    "distinct names": {"trace": (lambda n: btf([f"{2000 + i},p,{i},T,x{i},{i},activate" for i in range(n)]),
                                 500, 256_000)},
    "rows of a table": {"table": (table, 250, 64_000)},
}
EMPTY = {"model": model(), "scenario": scenario(1, 1, 1),
         "kernels": kernels(1), "processes": processes(1), "trace": btf([]), "table": table(1)}
