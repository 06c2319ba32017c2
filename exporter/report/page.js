// SPDX-License-Identifier: Apache-2.0
// Draws the report from the data in this file.

const results = data.results, schedule = data.schedule, runs = data.runs;
const tasks = results.tasks;

// One unit for all numbers of the tables, three digits after the point.
const largest = d3.max(tasks, task => Math.max(task.deadline_ps || 0, task.period_ps || 0, task.simulated.max_ps || 0)) || 0;
const [tableSize, tableUnit] = largest >= 1e9 ? [1e9, 'ms'] : [1e6, 'µs'];
const inTable = ps => ps === null || ps === undefined ? '–' : (ps / tableSize).toFixed(3).replace('-', '−');
/** Bounds are rounded up, as everywhere. */
const boundInTable = ps => ps === null ? '–' : (Math.ceil(ps / tableSize * 1000 - 1e-9) / 1000).toFixed(3);
const timeCell = ps => ps === null ? '–' : inTable(ps) + ' ' + tableUnit;
const signed = ps => ps === null ? '–' : (ps >= 0 ? '+' : '') + inTable(ps);

// ---- head

const simulation = results.simulation;
const horizonWords = brief(simulation.horizon_ps).replace(/\.?0+ /, ' ') +
  (simulation.hyperperiod_ps === simulation.horizon_ps ? ', the hyperperiod,' : '');
const gpuWords = results.platform.gpus.map(gpu => `GPU ${gpu.name} (profile ${gpu.profile})`).join(', ');
byId('about').textContent = [
  results.platform.name ? 'Platform ' + results.platform.name : '', gpuWords,
  `${horizonWords} simulated with ${simulation.execution} execution times`, 'AMALTHEA ' + results.model.version
].filter(text => text).join(' · ');

// ---- verdict

(function verdict() {
  const section = byId('verdict');
  const count = (list, verdict) => list.filter(entry => entry.verdict === verdict).length;
  const limits = results.counts, without = count(tasks, 'no deadline');
  const requirements = results.requirements;
  const against = count(requirements, 'missed'), unknown = count(requirements, 'unknown');
  const overloaded = results.resources.filter(resource => resource.verdict === 'overloaded');
  const errors = results.findings.filter(finding => finding.severity === 'error').length;

  // The verdict is the analysis's own (docs/reference/verdicts.md); nothing is judged here.
  const sentence = results.summary;
  const [symbol, style] = results.limits.length === 0 ? ['–', 'soft'] : marks[results.verdict];
  const line = add(section, 'p', {class: 'sentence ' + style, id: 'sentence'});
  add(line, 'span', {class: 'symbol', 'aria-hidden': 'true'}, symbol);
  add(line, 'span', {}, sentence);
  for (const assumption of results.assumptions) add(section, 'p', {class: 'note assumed'}, 'Assumed: ' + assumption.text + '.');
  for (const replaced of results.replaced) add(section, 'p', {class: 'note replaced'}, 'Replaced: ' + replaced + '.');
  if (errors) add(section, 'p', {class: 'note'}, `The model has ${counted(errors, 'error')}. The analysis leaves out the affected parts; see the findings.`);
  if (simulation.stopped_early) add(section, 'p', {class: 'note'}, `The simulation stopped early, at ${exact(simulation.horizon_ps)}.`);

  const tiles = add(section, 'ul', {class: 'tiles', 'aria-label': 'Counts'});
  const tile = (number, words, style, id) => {
    const item = add(tiles, 'li', {id: id});
    add(item, 'b', {class: style}, number);
    add(item, 'span', {}, words);
  };
  tile('✓ ' + limits.guaranteed, 'guaranteed for every job', limits.guaranteed ? 'good' : 'soft', 'count-guaranteed');
  tile('✓ ' + limits.met, 'met in the simulation', limits.met ? 'good' : 'soft', 'count-met');
  if (limits.unknown) tile('? ' + limits.unknown, 'unknown', 'warn', 'count-unknown');
  tile('∞ ' + limits.unbounded, 'unbounded', limits.unbounded ? 'bad' : 'soft', 'count-unbounded');
  tile('✗ ' + limits.missed, 'missed', limits.missed ? 'bad' : 'soft', 'count-missed');
  if (without) tile('– ' + without, 'without deadline', 'soft', 'count-without');
  if (requirements.length)
    tile(`${requirements.length - against - unknown} of ${requirements.length}`, 'requirements met' + (unknown ? `, ${unknown} unknown` : ''), against ? 'bad' : unknown ? 'warn' : 'good', 'count-requirements');
  if (overloaded.length) tile('✗ ' + overloaded.length, 'overloaded: ' + overloaded.map(resource => resource.name).join(', '), 'bad', 'count-overloaded');

  const failing = tasks.filter(task => isFailing(task) && !task.folded_into);
  const orphans = tasks.filter(task => isFailing(task) && task.folded_into && !failing.includes(functionOf(task)));
  if (failing.length + orphans.length) {
    add(section, 'h3', {}, 'Why');
    const list = add(section, 'ul', {class: 'failing'});
    for (const task of failing.concat(orphans)) {
      const item = add(list, 'li', {});
      addMark(item, task.verdict);
      item.append(' ');
      add(item, 'b', {}, task.name);
      const wrapper = tasks.find(other => other.folded_into === task.name && isFailing(other));
      item.append((wrapper ? ` (and its wrapper ${wrapper.name}, which does not run)` : '') + ': ' + task.reason + '. ');
      const parts = task.contributions.slice().sort((a, b) => b.ps - a.ps);
      if (parts.length) {
        const why = add(item, 'p', {class: 'soft'});
        why.append(`Its longest job took ${brief(task.simulated.max_ps)}: ` +
                   parts.slice(0, 3).map(part => `${brief(part.ps)} ${describe(part.kind, part.by, part.traffic)}`).join(', ') + (parts.length > 3 ? ', …' : '.') + ' ');
        addJump(why, task, 'Show it');
      }
    }
  }
  const others = results.limits.filter(limit => ['missed', 'unknown'].includes(limit.verdict) && !(tasks.some(task => task.name === limit.name && isFailing(task)) && ['deadline', 'task'].includes(limit.kind)));
  if (others.length) {
    add(section, 'h3', {}, failing.length + orphans.length ? 'Other limits that are missed or were not judged' : 'Limits that are missed or were not judged');
    const list = add(section, 'ul', {class: 'failing', id: 'not-judged'});
    for (const limit of others) {
      const item = add(list, 'li', {});
      addMark(item, limit.verdict);
      item.append(' ');
      add(item, 'b', {}, limit.name);
      item.append(': ' + limit.reason + '.');
    }
  }
  if (requirements.length) {
    const details = add(section, 'details', against ? {open: ''} : {});
    add(details, 'summary', {}, `Requirements: ${requirements.length - against - unknown} met, ${against} missed, ${unknown} unknown`);
    const isTime = entry => entry.limit_ps !== undefined;
    const value = (entry, key) => isTime(entry) ? timeCell(entry[key + '_ps']) : entry[key] === null || entry[key] === undefined ? '–' : String(+(+entry[key]).toFixed(3));
    addTable(details, null, [
      {title: 'Verdict', fill: (cell, entry) => addMark(cell, entry.verdict)},
      {title: 'Requirement', kind: 'row', fill: (cell, entry) => entry.name || '–'},
      {title: 'Subject', kind: 'words', fill: (cell, entry) => entry.subject || '–'},
      {title: 'Metric', fill: (cell, entry) => entry.metric || '–'},
      {title: 'Limit', kind: 'number', fill: (cell, entry) => (entry.limit_type === 'LowerLimit' ? '≥ ' : '≤ ') + value(entry, 'limit')},
      {title: 'Observed', kind: 'number', fill: (cell, entry) => value(entry, 'observed')},
      {title: 'Bound', kind: 'number', fill: (cell, entry) => isTime(entry) && entry.bound_ps !== null ? (entry.limit_type === 'LowerLimit' ? inTable : boundInTable)(entry.bound_ps) + ' ' + tableUnit : '–'},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => entry.reason}
    ], requirements);
  }
  const constraints = results.constraints;
  if (constraints.length) {
    const broken = count(constraints, 'missed'), open = count(constraints, 'unknown');
    const details = add(section, 'details', broken ? {open: ''} : {});
    add(details, 'summary', {}, `Timing constraints: ${constraints.length - broken - open} met, ${broken} missed, ${open} unknown`);
    addTable(details, null, [
      {title: 'Verdict', fill: (cell, entry) => addMark(cell, entry.verdict)},
      {title: 'Constraint', kind: 'row', fill: (cell, entry) => entry.name || '–'},
      {title: 'Class', kind: 'words', fill: (cell, entry) => entry.class},
      {title: 'Guaranteed', fill: (cell, entry) => entry.guaranteed === null ? '–' : entry.guaranteed ? 'yes' : 'no'},
      {title: 'Occurrences judged', kind: 'number', fill: (cell, entry) => String(entry.judged)},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => entry.reason},
      {title: 'Location', kind: 'words', fill: (cell, entry) => entry.line ? `${entry.file.split('/').pop()}:${entry.line}:${entry.column}` : '–'}
    ], constraints);
  }
})();

// ---- comparison

(function comparison() {
  if (!data.baseline) return remove('comparison');
  const section = byId('comparison'), before = data.baseline.results;
  const rank = {met: 0, 'no deadline': 0, missed: 1, unbounded: 2};
  const least = (...values) => values.find(value => value !== 0) || 0;
  /** < 0: better. Not known is worse than any value. */
  const smaller = (then, now) => then === now ? 0 : now === null ? 1 : then === null ? -1 : Math.sign(now - then);
  const times = [ps => ps === null ? '–' : inTable(ps) + ' ' + tableUnit, (then, now) => then === null || now === null ? '' : ` (${signed(now - then)})`];
  const bounds = [ps => ps === null ? '–' : boundInTable(ps) + ' ' + tableUnit, times[1]];
  const words = [value => value === null ? '–' : value, () => ''], shares = [percent, () => ''];
  /** What changed as it is shown; less is no change. */
  const arrow = (then, now, [show, difference]) => show(then) === show(now) ? show(now) : `${show(then)} → ${show(now)}${difference(then, now)}`;
  const lists = [
    ['Tasks', 'tasks', task => task.name,
     (then, now) => least((rank[now.verdict] || 0) - (rank[then.verdict] || 0), smaller(then.bound.wcrt_ps, now.bound.wcrt_ps), smaller(then.simulated.max_ps, now.simulated.max_ps)),
     [['Verdict', (then, now) => arrow(then.verdict, now.verdict, words)],
      ['Longest seen', (then, now) => arrow(then.simulated.max_ps, now.simulated.max_ps, times)],
      ['Bound', (then, now) => arrow(then.bound.wcrt_ps, now.bound.wcrt_ps, bounds)],
      ['Core', (then, now) => arrow(then.core, now.core, words)],
      ['Deadline', (then, now) => arrow(then.deadline_ps, now.deadline_ps, times)]]],
    ['Chains', 'chains', chain => chain.name,
     (then, now) => least(...['implicit', 'simulated', 'let', 'explicit'].map(way => smaller(then[way].reaction_ps, now[way].reaction_ps))),
     [['Reaction seen', (then, now) => arrow(then.simulated.reaction_ps, now.simulated.reaction_ps, times)],
      ['Implicit bound', (then, now) => arrow(then.implicit.reaction_ps, now.implicit.reaction_ps, bounds)],
      ['LET reaction', (then, now) => arrow(then.let.reaction_ps, now.let.reaction_ps, times)]]],
    ['Resources', 'resources', resource => resource.name + ', ' + resource.kind,
     (then, now) => least(smaller(then.demand, now.demand), smaller(then.utilization, now.utilization)),
     [['Utilization', (then, now) => arrow(then.utilization, now.utilization, shares)],
      ['Long-term demand', (then, now) => arrow(then.demand, now.demand, shares)]]]
  ];
  const same = before.model.hash === results.model.hash ? 'the model files are the same' : 'the model files differ';
  add(section, 'p', {class: 'soft'}, `Compared with ${data.baseline.name}; ${same}.`);
  if (before.simulation.execution !== simulation.execution || before.simulation.horizon_ps !== simulation.horizon_ps)
    add(section, 'p', {class: 'note'}, `The baseline simulated ${exact(before.simulation.horizon_ps)} with ${before.simulation.execution} execution times, this report ${exact(simulation.horizon_ps)} with ${simulation.execution} ones. Observed values are therefore not directly comparable.`);
  for (const [title, list, key, judge, columns] of lists) {
    const then = new Map(before[list].map(entry => [key(entry), entry])), now = new Map(results[list].map(entry => [key(entry), entry]));
    const rows = [];
    let unchanged = 0;
    for (const [name, entry] of now) {
      if (!then.has(name)) rows.push([name, 'added', null, entry]);
      else {
        const old = then.get(name), texts = columns.map(([, show]) => show(old, entry));
        const changed = columns.some(([, show], i) => texts[i] !== show(entry, entry));
        const direction = judge(old, entry);
        if (changed) rows.push([name, direction < 0 ? 'better' : direction > 0 ? 'worse' : 'changed', old, entry]);
        else ++unchanged;
      }
    }
    for (const [name, entry] of then) if (!now.has(name)) rows.push([name, 'removed', entry, null]);
    if (!rows.length && !unchanged) continue;
    const order = ['worse', 'removed', 'added', 'changed', 'better'];
    rows.sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
    const sums = order.map(what => [what, rows.filter(row => row[1] === what).length]).filter(([, n]) => n).map(([what, n]) => `${n} ${what}`);
    if (unchanged) sums.push(`${unchanged} unchanged`);
    const heading = add(section, 'h3', {}, `${title}: ${sums.join(', ')}`);
    heading.id = 'comparison-' + list;
    if (!rows.length) continue;
    const symbols = {better: '▼ better', worse: '▲ worse', added: '+ added', removed: '− removed', changed: '• changed'};
    addTable(section, null, [
      {title: 'Change', fill: (cell, row) => { add(cell, 'span', {class: 'mark change-' + row[1]}, symbols[row[1]]); }},
      {title: 'Name', kind: 'row', fill: (cell, row) => row[0]},
      ...columns.map(([title, show]) => ({title: title, fill: (cell, row) => show(row[2] || row[3], row[3] || row[2])}))
    ], rows);
  }
})();

// ---- tasks

(function taskTable() {
  const section = byId('tasks');
  if (!tasks.length) return remove('tasks');
  const width = 290, height = 34, inner = width - 36;
  const runOf = new Map((runs ? runs.tasks : []).map(task => [task.name, task]));
  const distributionOf = index => {
    const run = runOf.get(tasks[index].name);
    if (run && run.response.histogram.length) return run.response.histogram.map(bin => [bin.lower_ps, bin.upper_ps, bin.jobs]);
    const own = tasks[index].folded_into ? tasks.findIndex(task => task.name === tasks[index].folded_into) : index;
    return own < 0 ? null : schedule.tasks[own].responses;
  };
  const chart = (cell, task) => {
    const index = tasks.indexOf(task), deadline = task.deadline_ps, bound = task.bound.wcrt_ps;
    const {min_ps: min, max_ps: max, mean_ps: mean} = task.simulated;
    const bins = distributionOf(index);
    const most = Math.max(bound || 0, max || 0);
    if (!most) return add(cell, 'span', {class: 'soft'}, task.simulated.reason || 'no bound');
    const top = deadline ? Math.max(deadline * 1.25, Math.min(most * 1.02, deadline * 1.6)) : most * 1.05;
    const x = d3.scaleLinear([0, top], [1, inner]).clamp(true);
    const words = `${task.name}: ` + (max === null ? '' : `seen ${exact(min)} to ${exact(max)}, mean ${exact(mean)}`) + (bound === null ? ', no bound' : `, bound ${exact(bound)}`) + (deadline ? `, deadline ${exact(deadline)}` : '');
    const svg = addSvg(cell, 'svg', {class: 'chart', width: width, height: height, role: 'img', 'aria-label': words});
    addSvg(svg, 'title', {}, words);
    addSvg(svg, 'rect', {x: 1, y: 20, width: inner - 1, height: 9, fill: 'var(--track)'});
    const late = deadline === null ? Infinity : x(deadline);
    const bar = (from, to, y, size, paint, stroke) => {
      if (to > from) addSvg(svg, 'rect', {x: from, y: y, width: Math.max(to - from, 1), height: size, fill: paint, stroke: stroke || 'none', 'stroke-width': stroke ? 0.7 : 0});
    };
    if (bound !== null) {
      bar(x(max || 0), x(bound), 20, 9, svgPaint('#none', 'rising'), '#808890');
      addSvg(svg, 'path', {d: `M${x(bound)} 17V32`, stroke: 'var(--text)', 'stroke-width': 1.5, 'stroke-dasharray': '2 1.5'});
    }
    if (max !== null) {
      bar(1, Math.min(x(max), late), 20, 9, '#0072B2');
      bar(Math.max(late, 1), x(max), 20, 9, svgPaint('#D55E00', 'rising'));
    }
    if (bins) {
      const tallest = d3.max(bins, bin => bin[2]);
      for (const [lower, upper, jobs] of bins) {
        const tall = Math.max(1.5, 16 * jobs / tallest);
        if (lower > top || !jobs) continue;
        const from = bins.length === 1 ? x(upper) - 2 : x(lower);
        addSvg(svg, 'rect', {x: from, y: 18 - tall, width: Math.max(1.5, x(upper) - from - 0.3), height: tall, fill: x((lower + upper) / 2) > late ? '#D55E00' : '#56B4E9'});
      }
    }
    if (deadline) addSvg(svg, 'path', {d: `M${late} 0V34M${late - 4} 0h8l-4 5z`, stroke: 'var(--text)', fill: 'var(--text)', 'stroke-width': 2});
    if (most > top) addSvg(svg, 'text', {x: inner + 2, y: 29}, '▸' + (most / deadline >= 10 ? Math.round(most / deadline) : (most / deadline).toFixed(1)) + '×');
  };
  const margin = task => {
    if (task.deadline_ps === null) return null;
    if (task.verdict === 'unbounded') return null;
    if (task.bound.wcrt_ps !== null) return task.deadline_ps - Math.ceil(task.bound.wcrt_ps / tableSize * 1000 - 1e-9) * tableSize / 1000;
    return task.simulated.max_ps === null ? null : task.deadline_ps - task.simulated.max_ps;
  };
  const legend = addLegend(section, 'Legend of the bars', [['#0072B2', null, 'longest response observed'], ['#D55E00', 'rising', 'part after the deadline'], ['#none', 'rising', 'upper bound']]);
  const extra = (draw, words) => {
    const item = add(legend, 'li', {});
    draw(addSvg(item, 'svg', {width: 24, height: 16, 'aria-hidden': 'true'}));
    add(item, 'span', {}, words);
  };
  extra(svg => addSvg(svg, 'path', {d: 'M12 0V16M8 0h8l-4 5z', stroke: 'var(--text)', fill: 'var(--text)', 'stroke-width': 2}), 'deadline');
  extra(svg => { for (const [x, h] of [[3, 5], [8, 13], [13, 8], [18, 3]]) addSvg(svg, 'rect', {x: x, y: 15 - h, width: 4, height: h, fill: '#56B4E9'}); },
        runs ? `distribution over ${counted(runs.simulation.runs, 'random run')}` : 'distribution of the simulated jobs');
  addTable(section, `Response times in ${tableUnit}. Margin: deadline minus bound; where there is no bound (*) minus the longest seen. Jobs n + m: m had not ended when the simulation did. Bars: 0 at the left, each to its own scale.`, [
    {title: 'Verdict', fill: (cell, task) => addMark(cell, task.verdict)},
    {title: 'Task', kind: 'row', fill: (cell, task) => { if (functionOf(task).worst_release_ps !== null) addJump(cell, task); else return task.name; }},
    {title: 'Runs on', fill: (cell, task) => task.core},
    {title: 'Period', kind: 'number', fill: (cell, task) => inTable(task.period_ps)},
    {title: 'Deadline', kind: 'number', fill: (cell, task) => inTable(task.deadline_ps)},
    {title: 'Jobs', kind: 'number', fill: (cell, task) => task.simulated.jobs.toLocaleString('en') + (task.simulated.unfinished ? ` + ${task.simulated.unfinished.toLocaleString('en')}` : '')},
    {title: 'Longest seen', kind: 'number', fill: (cell, task) => inTable(task.simulated.max_ps)},
    {title: 'Bound', kind: 'number', fill: (cell, task) => { if (task.bound.wcrt_ps === null) cell.title = 'No bound: ' + task.bound.reason; return boundInTable(task.bound.wcrt_ps); }},
    {title: 'Margin', kind: 'number', fill: (cell, task) => {
      const value = margin(task);
      if (value !== null) add(cell, 'span', {class: value < 0 ? 'bad' : null}, signed(value) + (task.bound.wcrt_ps === null ? '*' : ''));
      else return '–';
    }},
    {title: 'Guaranteed', fill: (cell, task) => { if (task.guaranteed === null) return '–'; add(cell, 'span', {class: 'mark ' + (task.guaranteed ? 'good' : 'bad')}, task.guaranteed ? '✓ yes' : '✗ no'); }},
    {title: 'Response time against the deadline', kind: 'chart', fill: (cell, task) => { chart(cell, task); }}
  ], tasks, (row, task) => { row.dataset.task = task.name; });
  const unbounded = tasks.filter(task => task.bound.wcrt_ps === null && !task.folded_into);
  if (unbounded.length) {
    const details = add(section, 'details', {});
    add(details, 'summary', {}, `Why ${counted(unbounded.length, 'task has', 'tasks have')} no bound`);
    const list = add(details, 'ul', {});
    for (const task of unbounded) add(list, 'li', {}, `${task.name}: ${task.bound.reason}`);
  }
  if (!runs) return;
  const title = add(section, 'h3', {}, `Over ${counted(runs.simulation.runs, 'run')} with random execution times`);
  title.id = 'runs';
  addTable(section, `Response times in ${tableUnit}; seed ${runs.simulation.seed}. Late jobs: share of all jobs, with the 95 % confidence interval.`, [
    {title: 'Verdict', fill: (cell, task) => addMark(cell, task.verdict)},
    {title: 'Task', kind: 'row', fill: (cell, task) => task.name},
    {title: 'Jobs', kind: 'number', fill: (cell, task) => task.jobs.toLocaleString('en')},
    {title: 'Mean', kind: 'number', fill: (cell, task) => inTable(task.response.mean_ps)},
    {title: 'Median', kind: 'number', fill: (cell, task) => inTable(task.response.p50_ps)},
    {title: '95 %', kind: 'number', fill: (cell, task) => inTable(task.response.p95_ps)},
    {title: '99 %', kind: 'number', fill: (cell, task) => inTable(task.response.p99_ps)},
    {title: 'Longest', kind: 'number', fill: (cell, task) => inTable(task.response.max_ps)},
    {title: 'Late jobs', kind: 'number', fill: (cell, task) => {
      const late = task.late;
      if (!late) return '–';
      return `${percent(late.share)} (${percent(late.lower_95)} … ${percent(late.upper_95)})`;
    }}
  ], runs.tasks);
})();

// ---- decomposition

(function decomposition() {
  const section = byId('decomposition');
  const listed = tasks.filter(task => !task.folded_into && (task.contributions.length || task.bound.contributions.length));
  if (!listed.length) return remove('decomposition');
  listed.sort((a, b) => isFailing(b) - isFailing(a));
  const used = Object.keys(kinds).filter(kind => listed.some(task => task.contributions.concat(task.bound.contributions).some(part => part.kind === kind)));
  add(section, 'p', {class: 'soft'}, 'Contributions to the longest observed response time and to the upper bound. Both bars of a task have the same scale; the line is the deadline.');
  addLegend(section, 'Kinds of contributions', used.map(kind => kinds[kind]));
  const draw = (parent, task) => {
    const stack = add(parent, 'div', {class: 'stack'});
    stack.dataset.task = task.name;
    add(stack, 'h3', {}, task.name);
    const longest = Math.max(task.simulated.max_ps || 0, task.bound.wcrt_ps || 0);
    const top = Math.max(longest, task.deadline_ps && task.deadline_ps < longest * 4 ? task.deadline_ps * 1.02 : 0) * 1.001;
    const bar = (label, parts, total) => {
      add(stack, 'span', {class: 'label'}, label);
      if (!parts.length) return add(stack, 'span', {class: 'soft'}, total === null ? 'none' : exact(total));
      const words = parts.map(part => `${exact(part.ps)} ${describe(part.kind, part.by, part.traffic)}`).join(', ');
      const svg = addSvg(stack, 'svg', {class: 'chart', height: 24, width: '100%', role: 'img', 'aria-label': `${label} ${exact(total)}: ${words}`});
      let at = 0;
      for (const part of parts) {
        const [colour, hatch] = kinds[part.kind];
        const group = addSvg(svg, 'g', {});
        addSvg(group, 'title', {}, `${exact(part.ps)} ${describe(part.kind, part.by, part.traffic)}`);
        addSvg(group, 'rect', {x: 100 * at / top + '%', y: 1, width: 100 * part.ps / top + '%', height: 20, fill: svgPaint(colour, hatch), stroke: 'var(--page)', 'stroke-width': 1});
        const room = part.ps / top * Math.max(300, section.clientWidth - 330), name = brief(part.ps) + ' ' + describe(part.kind, part.by, part.traffic), short = brief(part.ps);
        const text = name.length * 6.6 + 8 < room ? name : short.length * 6.6 + 8 < room ? short : '';
        if (text) {
          const middle = 100 * (at + part.ps / 2) / top;
          if (hatch) addSvg(group, 'rect', {x: middle + '%', y: 4, width: text.length * 6.4 + 4, height: 14, fill: '#ffffff', transform: `translate(${-(text.length * 6.4 + 4) / 2} 0)`, rx: 3});
          addSvg(group, 'text', {x: middle + '%', y: 15, 'text-anchor': 'middle', 'aria-hidden': 'true'}, text).style.fill = hatch ? '#000000' : inkOn(colour);
        }
        at += part.ps;
      }
      if (task.deadline_ps && task.deadline_ps <= top) addSvg(svg, 'rect', {x: 100 * task.deadline_ps / top + '%', y: 0, width: 2.5, height: 24, fill: 'var(--text)'});
    };
    bar('seen', task.contributions, task.simulated.max_ps);
    if (task.bound.wcrt_ps !== null) bar('bound', task.bound.contributions, task.bound.wcrt_ps);
    else {
      add(stack, 'span', {class: 'label'}, 'bound');
      add(stack, 'span', {class: 'soft'}, 'none: ' + task.bound.reason);
    }
    if (task.contributions.length > 1) waterfall(stack, task);
  };
  /** The longest job, part by part: each begins where the one above ends. */
  const waterfall = (parent, task) => {
    const details = add(parent, 'details', {class: 'waterfall'});
    add(details, 'summary', {}, `Longest job of ${task.name}, part by part`);
    details.addEventListener('toggle', () => {
      if (details.querySelector('svg')) return;
      const top = Math.max(task.simulated.max_ps, task.deadline_ps || 0) * 1.001, high = 22;
      let at = 0;
      const rows = task.contributions.map(part => ({part, from: at, to: at += part.ps}));
      addTable(details, `Parts in the order in which they first occur; the line is the deadline.`, [
        {title: 'Spent on', kind: 'row', fill: (cell, row) => describe(row.part.kind, row.part.by, row.part.traffic)},
        {title: 'Time', kind: 'number', fill: (cell, row) => timeCell(row.part.ps)},
        {title: 'Share', kind: 'number', fill: (cell, row) => percent(row.part.ps / task.simulated.max_ps)},
        {title: 'So far', kind: 'number', fill: (cell, row) => timeCell(row.to)},
        {title: 'From release to completion', kind: 'chart', fill: (cell, row) => {
          const svg = addSvg(cell, 'svg', {class: 'chart', width: 420, height: high, role: 'img', 'aria-label': `${exact(row.from)} to ${exact(row.to)}`});
          const x = ps => 418 * ps / top, [colour, hatch] = kinds[row.part.kind];
          addSvg(svg, 'rect', {x: x(row.from), y: 3, width: Math.max(1, x(row.part.ps)), height: high - 6, fill: svgPaint(colour, hatch)});
          if (task.deadline_ps) addSvg(svg, 'rect', {x: x(task.deadline_ps) - 1, y: 0, width: 2, height: high, fill: 'var(--text)'});
        }}
      ], rows);
    });
  };
  const open = listed.slice(0, 30), rest = listed.slice(30);
  for (const task of open) draw(section, task);
  if (rest.length) {
    const details = add(section, 'details', {});
    add(details, 'summary', {}, counted(rest.length, 'more task'));
    details.addEventListener('toggle', () => { while (details.open && rest.length) draw(details, rest.shift()); });
  }
})();
