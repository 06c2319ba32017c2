// SPDX-License-Identifier: Apache-2.0
// Draws the comparison of measured traces with the model.

const listed = results.tasks;
chooseTableUnit(d3.max(listed, task => Math.max(task.deadline_ps || 0, task.response ? task.response.max_ps : 0, task.simulated ? task.simulated.max_ps : 0)) || 0);
const of = (sample, key) => sample ? inTable(sample[key]) : '–';

byId('about').textContent = results.traces.map(trace => `${trace.file} (${trace.format}, ${trace.events.toLocaleString('en')} events, ${exact(trace.end_ps - trace.begin_ps)})`).join(' · ');

(function verdict() {
  const section = byId('verdict');
  const [symbol, style] = results.limits.length === 0 ? ['–', 'soft'] : marks[results.verdict] || ['?', 'warn'];
  const line = add(section, 'p', {class: 'sentence ' + style, id: 'sentence'});
  add(line, 'span', {class: 'symbol', 'aria-hidden': 'true'}, symbol);
  add(line, 'span', {}, results.summary);
  for (const trace of results.traces)
    if (trace.truncated) add(section, 'p', {class: 'note'}, `${trace.file} is truncated. It is read to its last whole event.`);
  const tiles = add(section, 'ul', {class: 'tiles', 'aria-label': 'Counts'});
  const tile = (...content) => addTile(tiles, ...content);
  const above = listed.filter(task => task.bound_ps !== null && task.response && task.response.max_ps > task.bound_ps);
  const jobs = d3.sum(listed, task => task.response ? task.response.count : 0), late = d3.sum(listed, task => task.late);
  tile(jobs.toLocaleString('en'), 'jobs measured', 'soft', 'count-jobs');
  tile((late ? '✗ ' : '✓ ') + late.toLocaleString('en'), 'late jobs', late ? 'bad' : 'good', 'count-late');
  tile((above.length ? '✗ ' : '✓ ') + above.length, 'tasks above their bound', above.length ? 'bad' : 'good', 'count-above');
  tile((data.findings_total ? '! ' : '✓ ') + data.findings_total.toLocaleString('en'), 'findings in the trace', data.findings_total ? 'warn' : 'good', 'count-findings');
})();

(function responses() {
  const section = byId('tasks'), width = 290, height = 46, inner = width - 8;
  addLegend(section, 'Legend of the distributions', [['#0072B2', null, 'measured, above the line'], ['#E69F00', 'falling', 'simulated, below it'], ['#D55E00', null, 'deadline'], ['#BBBBBB', null, 'bound']]);
  const chart = (cell, task) => {
    const own = data.distributions[listed.indexOf(task)];
    const top = Math.max(task.response ? task.response.max_ps : 0, task.simulated ? task.simulated.max_ps : 0);
    if (!top) return;
    const end = Math.max(top, task.bound_ps !== null && task.bound_ps < 2 * top ? task.bound_ps : 0, task.deadline_ps !== null && task.deadline_ps < 2 * top ? task.deadline_ps : 0) * 1.03;
    const x = d3.scaleLinear([0, end], [1, inner]).clamp(true), middle = height / 2;
    const words = `${task.name}: ` + (task.response ? `measured ${exact(task.response.min_ps)} to ${exact(task.response.max_ps)}` : 'not measured') + (task.simulated ? `, simulated ${exact(task.simulated.min_ps)} to ${exact(task.simulated.max_ps)}` : '');
    const svg = addChart(cell, width, height, words);
    for (const [bins, up, paint] of [[own.measured, 1, '#0072B2'], [own.simulated, 0, svgPaint('#E69F00', 'falling')]]) {
      if (!bins) continue;
      const sum = d3.sum(bins, bin => bin[2]), tallest = d3.max(bins, bin => bin[2]) / sum;
      for (const [lower, upper, jobs] of bins) {
        if (!jobs) continue;
        const tall = Math.max(1.5, (middle - 3) * jobs / sum / tallest), from = bins.length === 1 ? x(upper) - 2 : x(lower);
        addSvg(svg, 'rect', {x: from, y: up ? middle - 1 - tall : middle + 1, width: Math.max(1.5, x(upper) - from - 0.3), height: tall, fill: paint});
      }
    }
    addSvg(svg, 'path', {d: `M1 ${middle}H${inner}`, stroke: 'var(--strong-line)', 'stroke-width': 1});
    const line = (ps, colour) => { if (ps !== null && ps <= end) addSvg(svg, 'path', {d: `M${x(ps)} 1V${height - 1}`, stroke: colour, 'stroke-width': 2}); };
    line(task.bound_ps, '#BBBBBB');
    line(task.deadline_ps, '#D55E00');
  };
  const runs = results.simulated_runs === null ? '' : ` Distance: Kolmogorov distance to ${counted(results.simulated_runs, 'simulated run')}, from 0 (alike) to 1 (nothing in common).`;
  addTable(section, `Response times in ${tableUnit}.${runs} Open jobs had not ended at the end of the trace. Bars: 0 at the left, each to its own scale.`, [
    verdictColumn(),
    {title: 'Task', kind: 'row', fill: (cell, task) => {
      const shown = tasks.find(one => one.name === task.name + ' measured');
      if (shown && shown.worst_release_ps !== null) addJump(cell, shown, task.name); else return task.name;
    }},
    {title: 'Jobs', kind: 'number', fill: (cell, task) => jobsInWords(task.response ? task.response.count : 0, task.unfinished)},
    {title: 'Lost', kind: 'number', fill: (cell, task) => String(task.lost_activations)},
    {title: 'Mean', kind: 'number', fill: (cell, task) => of(task.response, 'mean_ps')},
    {title: '99 %', kind: 'number', fill: (cell, task) => of(task.response, 'p99_ps')},
    {title: 'Longest', kind: 'number', fill: (cell, task) => of(task.response, 'max_ps')},
    {title: 'Simulated 99 %', kind: 'number', fill: (cell, task) => of(task.simulated, 'p99_ps')},
    {title: 'Simulated longest', kind: 'number', fill: (cell, task) => of(task.simulated, 'max_ps')},
    {title: 'Distance', kind: 'number', fill: (cell, task) => task.simulated && task.simulated.distance !== null ? task.simulated.distance.toFixed(2) : '–'},
    {title: 'Bound', kind: 'number', fill: (cell, task) => { add(cell, 'span', {class: task.response && task.bound_ps !== null && task.response.max_ps > task.bound_ps ? 'bad' : null}, boundInTable(task.bound_ps)); }},
    {title: 'Deadline', kind: 'number', fill: (cell, task) => inTable(task.deadline_ps)},
    {title: 'Distribution', kind: 'chart', fill: (cell, task) => { chart(cell, task); }}
  ], listed, (row, task) => { row.dataset.task = task.name; });
})();

(function scheduleNotes() {
  const section = byId('schedule');
  if (!section) return;
  const note = (id, words) => {
    const line = add(section, 'p', {class: 'note', id: id}, words);
    section.insertBefore(line, section.children[1]);
  };
  data.schedules.forEach((one, which) => {
    if (one && one.cut && one.recorded_ps.length)
      note('cut-' + whose[which], `The ${whose[which]} schedule is shown up to ${exact(one.recorded_ps[0][1] + (which ? 0 : data.shift_ps))}. --trace-events N keeps more.`);
  });
  if (data.shift_ps !== 0)
    note('shift', `The measured schedule is moved by ${exact(data.shift_ps)}, so that both begin with the same activation of ${data.aligned_with}.`);
})();

(function executions() {
  const section = byId('executions');
  const measured = listed.filter(task => task.execution), kernels = results.operations.filter(entry => entry.execution);
  const runnables = results.runnables.filter(entry => entry.execution);
  if (!measured.length && !kernels.length && !runnables.length) return remove('executions');
  const columns = key => [
    {title: 'Shortest', kind: 'number', fill: (cell, entry) => of(entry[key], 'min_ps')},
    {title: 'Mean', kind: 'number', fill: (cell, entry) => of(entry[key], 'mean_ps')},
    {title: '99 %', kind: 'number', fill: (cell, entry) => of(entry[key], 'p99_ps')},
    {title: 'Longest', kind: 'number', fill: (cell, entry) => of(entry[key], 'max_ps')}];
  const mean = (task, metric) => task.metrics[metric] ? inTable(task.metrics[metric].mean_ps) : '–';
  const table = (title, caption, head, entries, more) => {
    if (!entries.length) return;
    add(section, 'h3', {}, title);
    addTable(section, caption, head.concat(columns('execution'), more || []), entries);
  };
  const name = title => ({title: title, kind: 'row', fill: (cell, entry) => entry.name});
  table('Tasks', `Running and polling, without preemption, in ${tableUnit}; mean times in the other states.`, [name('Task')], measured, [
    ...[['Ready', 'ReadyTime'], ['Waiting', 'WaitingTime'], ['Polling', 'PollingTime'], ['Parking', 'ParkingTime']].map(([title, metric]) => ({title, kind: 'number', fill: (cell, task) => mean(task, metric)})),
    {title: 'Preemptions', kind: 'number', fill: (cell, task) => task.preemptions.toLocaleString('en')},
    {title: 'Migrations', kind: 'number', fill: (cell, task) => task.migrations.toLocaleString('en')}]);
  table('Runnables', `Net execution time of a run, without runnables that it calls, in ${tableUnit}.`, [
    name('Runnable'), {title: 'Task', fill: (cell, entry) => entry.task}, {title: 'Runs', kind: 'number', fill: (cell, entry) => entry.runs.toLocaleString('en')}], runnables);
  table('Copies and kernels', `Execution, in ${tableUnit}, and the longest time from the submission.`, [
    name('Operation'), {title: 'Task', fill: (cell, entry) => entry.task}, {title: 'Runs', kind: 'number', fill: (cell, entry) => entry.execution.count.toLocaleString('en')}], kernels, [
    {title: 'From submission', kind: 'number', fill: (cell, entry) => of(entry.duration, 'max_ps')}]);
})();

(function limits() {
  if (!results.limits.length) return remove('limits');
  addTable(byId('limits'), 'Judged on the measured events by the rules of the analysis.', [
    verdictColumn(),
    {title: 'Limit', kind: 'row', fill: (cell, limit) => limit.name},
    {title: 'Kind', fill: (cell, limit) => limit.kind},
    {title: 'Reason', kind: 'words', fill: (cell, limit) => limit.reason}
  ], results.limits);
})();

addFindings(results.findings);

(function names() {
  const section = byId('names');
  if (!results.unmatched.length && !results.unused_patterns.length) return remove('names');
  if (results.unmatched.length) addTable(section, 'Use --names to state the names of the model.', [
    {title: 'Name', kind: 'row', fill: (cell, entry) => entry.name},
    {title: 'Kind', fill: (cell, entry) => entry.kind},
    {title: 'Events', kind: 'number', fill: (cell, entry) => entry.events.toLocaleString('en')}
  ], results.unmatched.slice().sort((a, b) => b.events - a.events), null, 200);
  for (const pattern of results.unused_patterns) add(section, 'p', {class: 'note'}, `The pattern ${pattern} of --names matches no name of the trace.`);
})();

(function provenance() {
  const fact = addFacts(byId('provenance'));
  fact('Tool', `${results.tool.name} ${results.tool.version}`);
  fact('Traces', results.traces.map(trace => trace.file).join(', '), true);
  fact(results.model.files.length > 1 ? 'Model files' : 'Model file', results.model.files.join(', '), true);
  fact('AMALTHEA version', results.model.version);
  fact('Model hash', results.model.hash, true);
  fact('Intervals in this file', schedule.spans.toLocaleString('en'));
  fact('Schemas of the data', `${data.schema}, ${results.schema}`);
  fact('Charts', 'D3 ' + d3.version + ' (its license is in this file)');
})();

finish();
