// SPDX-License-Identifier: Apache-2.0
// Both schedules as one: task 2t is measured, task 2t + 1 simulated, and so are the units. The measured one is shifted
// so that both begin with the same activation.

const results = data.comparison;
const whose = ['measured', 'simulated'];

const schedule = (function () {
  const shift = [data.shift_ps, 0];
  const joined = {unit_ps: 1, end_ps: 0, spans: 0, cut: false, recorded_ps: [], units: [], names: [], standings: [], blocks: [], tasks: []};
  data.schedules.forEach((one, which) => {
    if (!one) return;
    const firstStanding = joined.standings.length, firstName = joined.names.length;
    joined.end_ps = Math.max(joined.end_ps, one.end_ps + shift[which]);
    joined.spans += one.spans;
    joined.names.push(...one.names);
    for (const [state, kind, by, unit, engine, what, traffic] of one.standings)
      joined.standings.push([state, which === 0 && state !== 'running' && by < 0 ? '' : kind, by < 0 ? -1 : 2 * by + which,
                             unit < 0 ? -1 : 2 * unit + which, engine, what < 0 ? -1 : what + firstName, traffic]);
    one.units.forEach((unit, i) => { joined.units[2 * i + which] = {name: `${unit.name} ${whose[which]}`, gpu: unit.gpu}; });
    for (const [from, to, task, sm] of one.blocks) joined.blocks.push([from, to, 2 * task + which, sm]);
    one.tasks.forEach((task, i) => {
      const spans = task.spans.map((value, k) => k % 3 === 2 ? value + firstStanding : value * one.unit_ps);
      const jobs = task.jobs.map((value, k) => k % 4 === 1 || (k % 4 === 2 && value >= 0) ? value * one.unit_ps : value);
      if (spans.length) spans[0] += shift[which];
      if (jobs.length) jobs[1] += shift[which];
      joined.tasks[2 * i + which] = {spans, jobs, responses: task.responses};
    });
  });
  for (let i = 0; i < 2 * data.tasks.length; ++i) joined.tasks[i] = joined.tasks[i] || {spans: [], jobs: [], responses: null};
  for (let i = 0; i < joined.units.length; ++i) joined.units[i] = joined.units[i] || {name: '', gpu: false};
  return joined;
})();

/** As the schedule knows tasks; their longest job is that of the schedule. */
const tasks = data.tasks.flatMap((task, i) => whose.map((words, which) => {
  const jobs = schedule.tasks[2 * i + which].jobs;
  let release = 0, worst = null, longest = null;
  for (let k = 0; k < jobs.length; k += 4) {
    release += jobs[k + 1];
    if (jobs[k + 2] > (longest === null ? -1 : longest)) { worst = release; longest = jobs[k + 2]; }
  }
  return {name: `${task.name} ${words}`, core: task.core, deadline_ps: task.deadline_ps, folded_into: null, paint: i, worst_release_ps: worst,
          simulated: {max_ps: longest}, verdict: '', contributions: [], period_ps: task.period_ps};
}));
const simulation = {horizon_ps: schedule.end_ps};
