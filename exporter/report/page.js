// SPDX-License-Identifier: Apache-2.0
// Draws the report from the data in this file.

const results = data.results, schedule = data.schedule, runs = data.runs;
const tasks = results.tasks;
const mostRows = 100;  // of a table, at first
/** How much of its deadline (or of its period) a task may take, at most. */
const shareOf = task => {
  const limit = task.deadline_ps || task.period_ps, longest = task.bound.wcrt_ps === null ? task.simulated.max_ps : task.bound.wcrt_ps;
  return limit ? (longest || 0) / limit : 0;
};
/** By verdict, then by share of the limit: the least relative margin first. */
const worstFirst = (list, share = shareOf) => {
  const rank = new Map(list.map(entry => [entry, [severities.indexOf(entry.verdict), -share(entry)]]));
  return list.slice().sort((a, b) => rank.get(a)[0] - rank.get(b)[0] || rank.get(a)[1] - rank.get(b)[1]);
};
const chainLimits = results.chains.flatMap(chain => chain.constraints.map(limit => {
  const key = limit.type + '_ps', longest = chain.implicit[key] || chain.simulated[key] || 0;
  return {chain: chain.name, limit, verdict: limit.verdict, share: limit.maximum_ps ? longest / limit.maximum_ps : 0};
}));

// Almost full is not "ok".
for (const resource of results.resources)
  if (resource.verdict === 'ok' && Math.max(resource.demand, resource.utilization) > 0.95) resource.verdict = 'nearly full';

chooseTableUnit(d3.max(tasks, task => Math.max(task.deadline_ps || 0, task.period_ps || 0, task.simulated.max_ps || 0)) || 0);
const signed = ps => ps === null ? '–' : (ps >= 0 ? '+' : '') + inTable(ps);

// ---- head

const simulation = results.simulation;
const horizonWords = simulation.horizon_ps <= 1 ? 'what occurs at time 0' : exact(simulation.horizon_ps) +
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
  const without = tasks.filter(task => task.verdict === 'no deadline');
  const requirements = results.requirements;
  const unbounded = count(requirements, 'unbounded'), against = count(requirements, 'missed') + unbounded, unknown = count(requirements, 'unknown');
  const overloaded = results.resources.filter(resource => resource.verdict === 'overloaded');
  const errors = results.findings.filter(finding => finding.severity === 'error').length;

  if (errors) add(section, 'p', {class: 'note'}, `The model has ${counted(errors, 'error')}. The analysis leaves out the affected parts; see the findings.`);
  if (simulation.stopped_early) add(section, 'p', {class: 'note'}, `The simulation stopped early, at ${exact(simulation.horizon_ps)}.`);

  if (overloaded.length) {
    const line = add(section, 'p', {class: 'note', id: 'overloaded'}, `Overloaded: ${overloaded.map(resource => `${resource.name} (long-term demand ${percent(resource.demand)})`).join(', ')}. See `);
    add(line, 'a', {href: '#resources'}, 'Resources');
    line.append('.');
  }

  // Each tile counts the rows of the list below that have its verdict, and shows them.
  const isBad = limit => ['missed', 'unbounded', 'unknown'].includes(limit.verdict);
  const named = new Map(tasks.map(task => [task.name, task]));
  const taskOf = limit => ['deadline', 'task'].includes(limit.kind) ? named.get(limit.name) : undefined;
  const shareOfChain = new Map(chainLimits.map(one => [`latency constraint "${one.limit.name}"`, one.share]));
  const limits = worstFirst(results.limits, limit => taskOf(limit) ? shareOf(taskOf(limit)) : shareOfChain.get(limit.name) || 0);
  // A finding leaves parts of the model open; it is no limit.
  const groupOf = limit => limit.kind === 'finding' ? 'not judged' : limit.verdict;
  const tiles = add(section, 'ul', {class: 'tiles', 'aria-label': 'Limits by verdict'});
  for (const [verdict, words] of [['missed', 'missed'], ['unbounded', 'unbounded'], ['unknown', 'unknown'], ['not judged', 'parts not judged'], ['met', 'met in the simulation'], ['guaranteed', 'guaranteed for every job']]) {
    const number = limits.filter(limit => groupOf(limit) === verdict).length, [symbol, style] = marks[verdict];
    if (!number && marks[verdict][1] === 'warn') continue;
    addTile(tiles, `${symbol} ${number}`, words, number ? style : 'soft', 'count-' + verdict.replace(' ', '-'), number ? button => {
      const chosen = button.getAttribute('aria-pressed') === 'false';
      for (const other of tiles.querySelectorAll('button')) other.setAttribute('aria-pressed', String(chosen && other === button));
      showLimits(limit => !chosen || groupOf(limit) === verdict);
    } : null);
  }
  const list = add(section, 'div', {id: 'limit-list'});
  const showLimits = limits.length ? addTable(list, 'Everything that limits the timing of the model, worst first. A tile above shows only its own.', [
    verdictColumn(groupOf),
    {title: 'Limit', kind: 'row', fill: (cell, limit) => limit.name},
    {title: 'Type', fill: (cell, limit) => limit.kind},
    {title: 'Why', kind: 'words', fill: (cell, limit) => {
      const task = taskOf(limit), wrapper = task && tasks.find(other => other.folded_into === task.name && isFailing(other));
      cell.append(inUnit(limit.reason, task ? task.bound.wcrt_ps : null, task ? task.deadline_ps : null) + '. ' + (wrapper && isFailing(task) ? `This includes its wrapper ${wrapper.name}, which does not run. ` : ''));
      if (!task || !isBad(limit) || !task.contributions.length) return;
      const parts = task.contributions.slice().sort((a, b) => b.ps - a.ps), why = add(cell, 'p', {class: 'soft'});
      why.append(`Its longest job took ${exact(task.simulated.max_ps)}: ` +
                 parts.slice(0, 3).map(part => `${exact(part.ps)} ${describe(part.kind, part.by, part.traffic)}`).join(', ') + (parts.length > 3 ? ', …' : '.') + ' ');
      addJump(why, task, 'Show it');
    }}
  ], limits, (row, limit) => { row.dataset.verdict = groupOf(limit); }, Math.min(mostRows, Math.max(12, limits.filter(isBad).length))) : () => {};
  if (without.length) add(section, 'p', {class: 'soft', id: 'without-deadline'}, `${counted(without.length, 'task has', 'tasks have')} no deadline: ${without.slice(0, mostRows).map(task => task.name).join(', ')}${without.length > mostRows ? ', …' : '.'}`);
  if (requirements.length) {
    const details = add(section, 'details', against ? {open: ''} : {});
    add(details, 'summary', {}, `Requirements: ${requirements.length - against - unknown} met, ${against - unbounded} missed, ${unbounded ? unbounded + ' unbounded, ' : ''}${unknown} unknown`);
    const isTime = entry => entry.limit_ps !== undefined;
    const value = (entry, key) => isTime(entry) ? timeCell(entry[key + '_ps']) : entry[key] === null || entry[key] === undefined ? '–' : String(+(+entry[key]).toFixed(3));
    addTable(details, null, [
      verdictColumn(),
      {title: 'Requirement', kind: 'row', fill: (cell, entry) => entry.name || '–'},
      {title: 'Subject', kind: 'words', fill: (cell, entry) => entry.subject || '–'},
      {title: 'Metric', fill: (cell, entry) => entry.metric || '–'},
      {title: 'Limit', kind: 'number', fill: (cell, entry) => (entry.limit_type === 'LowerLimit' ? '≥ ' : '≤ ') + value(entry, 'limit')},
      {title: 'Observed', kind: 'number', fill: (cell, entry) => value(entry, 'observed')},
      {title: 'Bound', kind: 'number', fill: (cell, entry) => isTime(entry) && entry.bound_ps !== null ? (entry.limit_type === 'LowerLimit' ? inTable : boundInTable)(entry.bound_ps) + ' ' + tableUnit : '–'},
      {title: 'Guaranteed', fill: (cell, entry) => entry.guaranteed === null ? '–' : entry.guaranteed ? 'yes' : 'no'},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => inUnit(entry.reason, isTime(entry) ? entry.bound_ps : null, entry.limit_ps)}
    ], worstFirst(requirements, entry => isTime(entry) && entry.limit_type !== 'LowerLimit' ? (entry.bound_ps || entry.observed_ps || 0) / entry.limit_ps : 0), null, mostRows);
  }
  const constraints = results.constraints;
  if (constraints.length) {
    const broken = count(constraints, 'missed'), open = count(constraints, 'unknown');
    const details = add(section, 'details', broken ? {open: ''} : {});
    add(details, 'summary', {}, `Timing constraints: ${constraints.length - broken - open} met, ${broken} missed, ${open} unknown`);
    addTable(details, null, [
      verdictColumn(),
      {title: 'Constraint', kind: 'row', fill: (cell, entry) => entry.name || '–'},
      {title: 'Class', kind: 'words', fill: (cell, entry) => entry.class},
      {title: 'Guaranteed', fill: (cell, entry) => entry.guaranteed === null ? '–' : entry.guaranteed ? 'yes' : 'no'},
      {title: 'Occurrences judged', kind: 'number', fill: (cell, entry) => String(entry.judged)},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => inUnit(entry.reason)},
      {title: 'Location', kind: 'words', fill: (cell, entry) => entry.line ? `${entry.file.split('/').pop()}:${entry.line}:${entry.column}` : '–'}
    ], worstFirst(constraints, () => 0), null, mostRows);
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
  const difference = data.difference;
  if (difference && difference.changes) {
    add(section, 'h3', {id: 'comparison-model'}, difference.changes.length ? `Model: ${counted(difference.changes.length, 'change')}` : 'Model: no changes');
    if (difference.changes.length) addTable(section, `From ${difference.before.join(', ')} to ${difference.after.join(', ')}, compared as AMALTHEA ${difference.compared_as}.`, [
      {title: 'Part', fill: (cell, change) => change.part},
      {title: 'Change', fill: (cell, change) => change.kind},
      {title: 'Object', kind: 'row', fill: (cell, change) => change.object},
      {title: 'What', kind: 'words', fill: (cell, change) => change.what},
      {title: 'Location', kind: 'words', fill: (cell, change) => { add(cell, 'code', {}, change.location || '–'); }}
    ], difference.changes, null, 100);
  } else if (difference) {
    add(section, 'p', {class: 'note'}, difference.reason);
  }
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
  const width = 230, height = 34, inner = width - 36;
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
    const words = `${task.name}: ` + (max === null ? '' : `seen ${exact(min)} to ${exact(max)}, mean ${exact(mean)}`) + (bound === null ? ', no bound' : `, bound ${exactBound(bound)}`) + (deadline ? `, deadline ${exact(deadline)}` : '');
    const svg = addChart(cell, width, height, words);
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
    if (most > top) addSvg(svg, 'text', {x: inner + 2, y: 29}, '▸' + (most / deadline >= 1000 ? Math.round(most / deadline / 1000) + 'k' : most / deadline >= 10 ? Math.round(most / deadline) : (most / deadline).toFixed(1)) + '×');
  };
  const margin = task => {
    if (task.deadline_ps === null) return null;
    if (task.verdict === 'unbounded') return null;
    if (task.bound.wcrt_ps !== null) return task.deadline_ps - Math.ceil(task.bound.wcrt_ps / tableSize * 1000 - 1e-9) * tableSize / 1000;
    return task.simulated.max_ps === null ? null : task.deadline_ps - task.simulated.max_ps;
  };
  const legend = addLegend(section, 'Legend of the bars', [
    tasks.some(task => task.simulated.max_ps) && ['#0072B2', null, 'longest response observed'],
    tasks.some(task => task.deadline_ps && task.simulated.max_ps > task.deadline_ps) && ['#D55E00', 'rising', 'part after the deadline'],
    tasks.some(task => task.bound.wcrt_ps !== null) && ['#none', 'rising', 'upper bound']].filter(shown => shown));
  const extra = (draw, words) => {
    const item = add(legend, 'li', {});
    draw(addSvg(item, 'svg', {width: 24, height: 16, 'aria-hidden': 'true'}));
    add(item, 'span', {}, words);
  };
  if (tasks.some(task => task.deadline_ps)) extra(svg => addSvg(svg, 'path', {d: 'M12 0V16M8 0h8l-4 5z', stroke: 'var(--text)', fill: 'var(--text)', 'stroke-width': 2}), 'deadline');
  extra(svg => { for (const [x, h] of [[3, 5], [8, 13], [13, 8], [18, 3]]) addSvg(svg, 'rect', {x: x, y: 15 - h, width: 4, height: h, fill: '#56B4E9'}); },
        runs ? `distribution over ${counted(runs.simulation.runs, 'random run')}` : 'distribution of the simulated jobs');
  addTable(section, `Response times in ${tableUnit}. Margin: deadline minus bound; where there is no bound (*) minus the longest seen. Open jobs had not ended when the simulation did. Bars: 0 at the left, each to its own scale.`, [
    verdictColumn(),
    {title: 'Task', kind: 'row', fill: (cell, task) => { if (functionOf(task).worst_release_ps !== null) addJump(cell, task); else return task.name; }},
    {title: 'Runs on', fill: (cell, task) => task.core},
    {title: 'Period', kind: 'number', fill: (cell, task) => inTable(task.period_ps)},
    {title: 'Deadline', kind: 'number', fill: (cell, task) => inTable(task.deadline_ps)},
    {title: 'Jobs', kind: 'number', fill: (cell, task) => jobsInWords(task.simulated.jobs, task.simulated.unfinished)},
    {title: 'Longest seen', kind: 'number', fill: (cell, task) => inTable(task.simulated.max_ps)},
    {title: 'Bound', kind: 'number', fill: (cell, task) => { if (task.bound.wcrt_ps === null) cell.title = 'No bound: ' + task.bound.reason; return boundInTable(task.bound.wcrt_ps); }},
    {title: 'Margin', kind: 'number', fill: (cell, task) => {
      const value = margin(task);
      if (value !== null) add(cell, 'span', {class: value < 0 ? 'bad' : null}, signed(value) + (task.bound.wcrt_ps === null ? '*' : ''));
      else return '–';
    }},
    {title: 'Guaranteed', fill: (cell, task) => { if (task.guaranteed === null) return '–'; add(cell, 'span', {class: 'mark ' + (task.guaranteed ? 'good' : 'bad')}, task.guaranteed ? task.bound.proved_ps <= task.deadline_ps ? '✓ proved' : '✓ yes' : '✗ no'); }},
    {title: 'Response time against the deadline', kind: 'chart', fill: (cell, task) => { chart(cell, task); }}
  ], worstFirst(tasks), (row, task) => { row.dataset.task = task.name; }, mostRows);
  const unbounded = tasks.filter(task => task.bound.wcrt_ps === null && !task.folded_into);
  if (unbounded.length) {
    const details = add(section, 'details', {});
    add(details, 'summary', {}, `Why ${counted(unbounded.length, 'task has', 'tasks have')} no bound`);
    const list = add(details, 'ul', {});
    for (const task of unbounded) add(list, 'li', {}, `${task.name}: ${inUnit(task.bound.reason)}`);
  }
  if (!runs) return;
  const title = add(section, 'h3', {}, `Over ${counted(runs.simulation.runs, 'run')} with random execution times`);
  title.id = 'runs';
  addTable(section, `Response times in ${tableUnit}; seed ${runs.simulation.seed}. Late jobs: share of all jobs, with the 95 % confidence interval.`, [
    verdictColumn(),
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
  ], runs.tasks, null, mostRows);
})();

// ---- what would help

(function whatIf() {
  if (!data.what_ifs.length) return remove('what-if');
  const section = byId('what-if');
  const answers = ['yes', 'only in the simulation', 'no'];
  const answer = tried => tried.works ? tried.guaranteed ? 0 : 1 : 2;
  const rows = data.what_ifs.flatMap(one => one.tried.map(tried => ({task: tasks.find(task => task.name === one.task), tried})))
    .sort((a, b) => answer(a.tried) - answer(b.tried));
  const change = (then, now) => then === null || now === null || then === now ? '' : ` (${signed(now - then)})`;
  addTable(section, `Tasks that miss their deadline, or whose deadline is not judged, and which the plan does not mend or only with less execution time, analyzed again with one change; times in ${tableUnit}, in brackets the difference. Enough: the deadline is guaranteed and no other task gets worse. Only in the simulation: no simulated job is late, and the bound does not prove that none is.`, [
    {title: 'Task', kind: 'row', fill: (cell, row) => row.task.name},
    {title: 'Change', kind: 'words', fill: (cell, row) => row.tried.change},
    verdictColumn(row => row.task.verdict, 'Now'),
    verdictColumn(row => row.tried.guaranteed ? 'guaranteed' : row.tried.verdict, 'With the change'),
    {title: 'Enough', kind: 'words', key: row => answer(row.tried), fill: (cell, row) => answers[answer(row.tried)] + (row.tried.worse.length ? ', worse for ' + row.tried.worse.join(', ') : '')},
    {title: 'Longest seen', kind: 'number', fill: (cell, row) => inTable(row.tried.max_ps) + change(row.task.simulated.max_ps, row.tried.max_ps)},
    {title: 'Bound', kind: 'number', fill: (cell, row) => boundInTable(row.tried.wcrt_ps) + change(row.task.bound.wcrt_ps, row.tried.wcrt_ps)},
    {title: 'Deadline', kind: 'number', fill: (cell, row) => inTable(row.task.deadline_ps)}
  ], rows, (element, row) => { element.dataset.whatIf = row.task.name; }, mostRows);
})();

// ---- decomposition

(function decomposition() {
  const section = byId('decomposition');
  const some = tasks.filter(task => !task.folded_into && (task.contributions.length || task.bound.contributions.length));
  if (!some.length) return remove('decomposition');
  const listed = worstFirst(some);
  const used = Object.keys(kinds).filter(kind => listed.some(task => task.contributions.concat(task.bound.contributions).some(part => part.kind === kind && part.ps > 0)));
  add(section, 'p', {class: 'soft'}, 'Contributions to the longest observed response time and to the upper bound. The line is the deadline.');
  addLegend(section, 'Kinds of contributions', used.map(kind => kinds[kind]));
  const longestOf = task => Math.max(task.simulated.max_ps || 0, task.bound.wcrt_ps || 0);
  const limitOf = task => task.deadline_ps || task.period_ps || longestOf(task);
  const most = d3.max(listed, task => Math.max(longestOf(task), task.deadline_ps || 0)), share = Math.min(3, Math.max(1.2, d3.max(listed, task => longestOf(task) / limitOf(task)) * 1.02));
  const scales = {
    deadline: ['share of the deadline', task => limitOf(task) * share, `All bars have one scale: 100 % is the deadline of each task; for a task without one, its period. Bars end at ${Math.round(share * 100)} %.`],
    time: ['time', () => most * 1.02, `All bars have one scale, from 0 to ${exact(most * 1.02)}.`],
    own: ['own of each task', task => Math.max(longestOf(task), task.deadline_ps || 0) * 1.02, 'Each task has its own scale; both of its bars share it.']
  };
  const chosen = add(add(add(section, 'p', {class: 'tools'}), 'label', {}, 'Scale '), 'select', {id: 'scale'});
  for (const name in scales) add(chosen, 'option', {value: name}, scales[name][0]);
  const hint = add(section, 'p', {class: 'hint', role: 'status'}), bars = add(section, 'div', {id: 'bars'});

  const part = one => ({ps: one.ps, paint: kinds[one.kind], words: `${exact(one.ps)} ${describe(one.kind, one.by, one.traffic)}`, text: `${exact(one.ps)} ${describe(one.kind, one.by, one.traffic)}`});
  const draw = (parent, task) => {
    const stack = add(parent, 'div', {class: 'stack'}), top = scales[chosen.value][1](task), room = Math.max(220, section.clientWidth - 330);
    stack.dataset.task = task.name;
    const title = add(stack, 'h3', {}, task.name);
    if (!task.deadline_ps) add(title, 'span', {class: 'hint'}, ' no deadline');
    const bar = (label, parts, total, why) => {
      if (parts.length) return addStack(stack, label, parts.map(part), top, task.deadline_ps ? [task.deadline_ps] : [], room, exact(total) + (task.deadline_ps ? `, ${(total / task.deadline_ps).toFixed(1)}× the deadline` : ''));
      add(stack, 'span', {class: 'label'}, label);
      add(stack, 'span', {class: 'soft'}, why);
    };
    bar('seen', task.contributions, task.simulated.max_ps, task.simulated.max_ps === null ? 'none' : exact(task.simulated.max_ps));
    bar('bound', task.bound.contributions, task.bound.wcrt_ps, task.bound.wcrt_ps === null ? 'none: ' + inUnit(task.bound.reason) : exactBound(task.bound.wcrt_ps));
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
          const svg = addChart(cell, 420, high, `${exact(row.from)} to ${exact(row.to)}`);
          const x = ps => 418 * ps / top, [colour, hatch] = kinds[row.part.kind];
          addSvg(svg, 'rect', {x: x(row.from), y: 3, width: Math.max(1, x(row.part.ps)), height: high - 6, fill: svgPaint(colour, hatch)});
          if (task.deadline_ps) addSvg(svg, 'rect', {x: x(task.deadline_ps) - 1, y: 0, width: 2, height: high, fill: 'var(--text)'});
        }}
      ], rows);
    });
  };
  const drawAll = () => {
    hint.textContent = scales[chosen.value][2];
    bars.replaceChildren();
    const rest = listed.slice(30);
    for (const task of listed.slice(0, 30)) draw(bars, task);
    if (!rest.length) return;
    const details = add(bars, 'details', rest.length > mostRows ? {'data-print': 'closed'} : {});
    add(details, 'summary', {}, counted(rest.length, 'more task'));
    details.addEventListener('toggle', () => { while (details.open && rest.length) draw(details, rest.shift()); });
  };
  chosen.addEventListener('change', drawAll);
  drawAll();
})();
