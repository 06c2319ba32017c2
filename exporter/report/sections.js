// SPDX-License-Identifier: Apache-2.0

// ---- architecture: which task runs where

(function architecture() {
  const section = byId('architecture');
  const units = schedule.units.map((unit, i) => ({...unit, resources: results.resources.filter(resource => resource.name === unit.name && resource.kind !== 'server')}));
  const placed = tasks.map((task, i) => ({task, i})).filter(one => !one.task.folded_into);
  if (!placed.length || !units.length) return remove('architecture');
  add(section, 'p', {class: 'soft'}, 'Which task runs where, by priority.' + (schedule.cut || !schedule.spans ? '' : ' The bar shows for how much of the simulated time each task uses the resource; its whole width is 100 %.'));
  const list = add(section, 'ul', {class: 'units', 'aria-label': 'Cores and GPUs with their tasks'});
  for (const unit of units) {
    const used = [0, 1, 2].map(engine => gantt.uses.get(`${unit.name}/${engine}`) || []), shares = new Map();
    for (const [from, to, task] of used[unit.gpu ? 1 : 0]) shares.set(task, (shares.get(task) || 0) + (to - from) / schedule.end_ps);
    const here = placed.filter(one => one.task.core === unit.name || shares.has(one.i))
      .sort((a, b) => (b.task.priority || 0) - (a.task.priority || 0) || a.i - b.i);
    const item = add(list, 'li', {});
    item.dataset.unit = unit.name;
    const title = add(item, 'h3', {}, unit.name + ' ');
    const gpu = results.platform.gpus.find(gpu => gpu.name === unit.name);
    add(title, 'span', {class: 'hint'}, unit.gpu ? 'GPU' + (gpu ? `, profile ${gpu.profile}` : '') : 'core');
    for (const resource of unit.resources) {
      const line = add(item, 'div', {}, `${resource.kind === 'core' ? '' : resource.kind + ': '}${percent(resource.utilization)} used `);
      if (resource.verdict !== 'ok') addMark(line, resource.verdict);
    }
    if (!schedule.cut && shares.size) {
      const bar = add(item, 'div', {class: 'bar'});
      const svg = addSvg(bar, 'svg', {class: 'chart', width: '100%', height: 18, role: 'img', 'aria-label': here.filter(one => shares.has(one.i)).map(one => `${one.task.name} ${percent(shares.get(one.i))}`).join(', ')});
      addSvg(svg, 'rect', {width: '100%', y: 2, height: 14, fill: 'var(--track)'});
      let at = 0;
      for (const one of here) {
        const share = shares.get(one.i) || 0;
        addSvg(svg, 'rect', {x: 100 * at + '%', y: 2, width: 100 * share + '%', height: 14, fill: svgPaint(...taskPaint(one.i))});
        at += share;
      }
    }
    if (!here.length) { add(item, 'p', {class: 'soft'}, 'No task.'); continue; }
    const inside = add(item, 'ul', {});
    for (const {task, i} of here) {
      const line = add(inside, 'li', {}), swatch = addSvg(line, 'svg', {width: 12, height: 12, 'aria-hidden': 'true'});
      addSvg(swatch, 'rect', {width: 12, height: 12, fill: svgPaint(...taskPaint(i)), stroke: '#808890'});
      const words = add(line, 'span', {});
      if (task.worst_release_ps !== null) addJump(words, task); else words.append(task.name);
      words.append(' ');
      add(words, 'span', {class: 'soft'}, [task.priority === null || task.side === 'device' ? '' : `priority ${task.priority}`, task.period_ps ? 'every ' + exact(task.period_ps) : '', shares.has(i) && !schedule.cut ? percent(shares.get(i)) : ''].filter(one => one).join(', ') + ' ');
      addMark(words, task.guaranteed ? 'guaranteed' : task.verdict);
    }
  }
})();

// ---- chains

(function chains() {
  if (!results.chains.length) return remove('chains');
  const section = byId('chains');
  const value = (chain, way, key) => (way === 'implicit' || way === 'explicit' ? boundInTable : inTable)(chain[way][key]);
  addTable(section, `End-to-end latencies in ${tableUnit}: exact under LET, upper bounds under implicit and explicit communication; “seen” is the longest one in the simulation under implicit communication.`, [
    {title: 'Chain', kind: 'row', fill: (cell, chain) => chain.name},
    {title: 'Reaction seen', kind: 'number', fill: (cell, chain) => value(chain, 'simulated', 'reaction_ps')},
    {title: 'Reaction implicit', kind: 'number', fill: (cell, chain) => value(chain, 'implicit', 'reaction_ps')},
    {title: 'Reaction explicit', kind: 'number', fill: (cell, chain) => value(chain, 'explicit', 'reaction_ps')},
    {title: 'Reaction LET', kind: 'number', fill: (cell, chain) => value(chain, 'let', 'reaction_ps')},
    {title: 'Age seen', kind: 'number', fill: (cell, chain) => value(chain, 'simulated', 'age_ps')},
    {title: 'Age implicit', kind: 'number', fill: (cell, chain) => value(chain, 'implicit', 'age_ps')},
    {title: 'Age LET', kind: 'number', fill: (cell, chain) => value(chain, 'let', 'age_ps')},
    {title: 'Tasks', kind: 'words', fill: (cell, chain) => chain.tasks.join(' → ')}
  ], results.chains);
  steps(section);
  const limits = worstFirst(chainLimits, one => one.share);
  if (limits.length) {
    add(section, 'h3', {}, 'Limits');
    addTable(section, null, [
      {title: 'Limit', kind: 'row', fill: (cell, entry) => entry.limit.name || entry.chain},
      {title: 'Chain', kind: 'words', fill: (cell, entry) => entry.chain},
      {title: 'Type', fill: (cell, entry) => entry.limit.type},
      {title: 'At least', kind: 'number', key: entry => entry.limit.minimum_ps, fill: (cell, entry) => exact(entry.limit.minimum_ps)},
      {title: 'At most', kind: 'number', key: entry => entry.limit.maximum_ps, fill: (cell, entry) => exact(entry.limit.maximum_ps)},
      ...['implicit', 'explicit', 'let'].map(way => ({title: way === 'let' ? 'LET' : way, fill: (cell, entry) => addMark(cell, entry.limit[way])})),
      {title: 'Judged', fill: (cell, entry) => addMark(cell, entry.limit.guaranteed ? 'guaranteed' : entry.limit.verdict)},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => inUnit(entry.limit.reason)}
    ], limits);
  }
  /** What each step of a chain costs, seen and at most. */
  function steps(parent) {
    const listed = results.chains.map((chain, i) => ({chain, steps: data.chain_steps[i]})).filter(one => one.steps.observed.length || one.steps.implicit.length);
    if (!listed.length) return;
    const sum = list => d3.sum(list, ([wait, run]) => wait + run), shown = listed.slice(0, 30);
    const limitsOf = chain => chain.constraints.filter(limit => limit.type === 'reaction' && limit.maximum_ps !== null).map(limit => limit.maximum_ps);
    const longest = d3.max(shown, one => Math.max(sum(one.steps.observed), sum(one.steps.implicit)));
    const top = Math.max(longest, d3.max(shown, one => Math.max(0, ...limitsOf(one.chain).filter(limit => limit < longest * 3)))) * 1.02;
    add(parent, 'h3', {}, 'What each step costs');
    addLegend(parent, 'Legend of the steps', [['#none', 'rising', 'waits until the task reads the data'], ['#56B4E9', null, 'runs until the task writes its output (colors of the tasks as in the schedule)']]);
    add(parent, 'p', {class: 'hint'}, `The longest reaction seen, and its upper bound under implicit communication. All bars have one scale, from 0 to ${exact(top)}.` + (shown.some(one => limitsOf(one.chain).length) ? ' The line is the limit.' : ''));
    for (const {chain, steps} of shown) {
      const stack = add(parent, 'div', {class: 'stack'});
      stack.dataset.chain = chain.name;
      add(stack, 'h3', {}, chain.name);
      const parts = list => list.flatMap(([wait, run], i) => {
        const name = chain.tasks[i];
        return [{ps: wait, paint: ['#none', 'rising'], words: `${exact(wait)} until ${name} reads`, text: exact(wait)},
                {ps: run, paint: taskPaint(tasks.findIndex(task => task.name === name)), words: `${exact(run)} ${name}`, text: name}].filter(part => part.ps > 0);
      });
      for (const [label, list, none] of [['seen', steps.observed, 'none: no reaction was seen'], ['bound', steps.implicit, 'none: ' + (chain.implicit.reason || '')]]) {
        if (list.length) { addStack(stack, label, parts(list), top, limitsOf(chain), Math.max(220, parent.clientWidth - 330)); continue; }
        add(stack, 'span', {class: 'label'}, label);
        add(stack, 'span', {class: 'soft'}, none);
      }
      const details = add(stack, 'details', {class: 'waterfall'});
      add(details, 'summary', {}, `Steps of ${chain.name}`);
      const time = (list, i, k) => list.length ? inTable(list[i][k]) : '–';
      details.addEventListener('toggle', () => addTable(details, `Times in ${tableUnit}. Waits: from the write of the task before until a job of this task reads. Runs: from then to its write.`, [
        {title: 'Step', kind: 'row', fill: (cell, i) => `${i + 1}. ${chain.tasks[i]}`},
        {title: 'Waits, seen', kind: 'number', fill: (cell, i) => time(steps.observed, i, 0)},
        {title: 'Runs, seen', kind: 'number', fill: (cell, i) => time(steps.observed, i, 1)},
        {title: 'Waits, at most', kind: 'number', fill: (cell, i) => time(steps.implicit, i, 0)},
        {title: 'Runs, at most', kind: 'number', fill: (cell, i) => time(steps.implicit, i, 1)}
      ], chain.tasks.map((name, i) => i)), {once: true});
    }
    if (listed.length > shown.length) add(parent, 'p', {class: 'hint'}, `The first ${shown.length} chains are drawn.`);
  }
  const reasons = results.chains.filter(chain => chain.implicit.reason);
  if (reasons.length) {
    const details = add(section, 'details', {});
    add(details, 'summary', {}, `Why ${counted(reasons.length, 'chain has', 'chains have')} no bound`);
    const list = add(details, 'ul', {});
    for (const chain of reasons) add(list, 'li', {}, `${chain.name}: ${inUnit(chain.implicit.reason)}`);
  }
})();

// ---- headroom

(function headroom() {
  if (!results.headroom) return remove('headroom');
  const section = byId('headroom');
  for (const sentence of results.headroom.summary) add(section, 'p', {class: 'note'}, sentence);
  const kinds = {everything: 'All times and all jitter', times: 'All execution times', jitters: 'All jitter', task: 'Execution time of', core: 'Execution on core', gpu: 'Kernels on GPU', memory: 'Memory accesses', jitter: 'Jitter of'};
  const amount = (margin, key) => margin[key + '_percent'] === null ? '–' : margin[key + '_ps'] !== undefined ? signed(margin[key + '_ps']) + ' ' + tableUnit : (margin[key + '_percent'] < 0 ? '−' : '+') + Math.abs(margin[key + '_percent']) + ' %';
  const holds = margin => (margin.holds_percent !== null && margin.breaks_percent === null ? 'at least ' : '') + amount(margin, 'holds') + (margin.monotone ? '' : ' *');
  const first = margin => margin.first ? margin.first.name + (margin.violated > 1 ? ` and ${margin.violated - 1} more` : '') : '–';
  const needs = margin => margin.needed_percent === null ? '–' : amount(margin, 'needed') + ': ' + margin.repaired.join(', ');
  addTable(section, 'How much each may grow until the first limit is violated. Guaranteed: by bounds; seen: in the simulation. Less: the reduction with which limits that do not hold today hold. *: they hold again at a larger value.', [
    {title: 'What grows', kind: 'row', fill: (cell, of) => kinds[of.kind] + (of.name ? ' ' + of.name : '')},
    {title: 'Guaranteed', kind: 'number', fill: (cell, of) => holds(of.guaranteed)},
    {title: 'First limit', kind: 'words', fill: (cell, of) => first(of.guaranteed)},
    {title: 'Seen', kind: 'number', fill: (cell, of) => holds(of.seen)},
    {title: 'First limit', kind: 'words', fill: (cell, of) => first(of.seen)},
    {title: 'Less, to guarantee', kind: 'words', fill: (cell, of) => needs(of.guaranteed)},
    {title: 'Less, to meet', kind: 'words', fill: (cell, of) => needs(of.seen)}
  ], results.headroom.of);
})();

// ---- resources

(function resources() {
  const section = byId('resources');
  if (!results.resources.length) return remove('resources');
  const width = 420, most = d3.max(results.resources, resource => Math.max(resource.demand, resource.utilization));
  const top = Math.max(1.1, Math.min(3, most * 1.05));
  const demand = [['#E69F00', 'falling', 'long-term demand']];
  if (most > 1) demand.push(['#D55E00', 'crossed', 'demand above 100 %']);
  addLegend(section, 'Legend', [['#0072B2', null, 'utilization in the simulation'], ...demand]);
  addTable(section, 'Utilization: share of the simulated time in which the resource executes, polls or serves a context; of a server, share of its budget. Long-term demand: utilization by the worst-case load, in which polling counts with the device time without interference. The line marks 100 %.', [
    verdictColumn(),
    {title: 'Resource', kind: 'row', fill: (cell, resource) => resource.name},
    {title: 'Kind', fill: (cell, resource) => resource.kind},
    {title: 'Utilization', kind: 'number', fill: (cell, resource) => percent(resource.utilization)},
    {title: 'Long-term demand', kind: 'number', fill: (cell, resource) => percent(resource.demand)},
    {title: 'Utilization and demand', kind: 'chart', fill: (cell, resource) => {
      const x = d3.scaleLinear([0, top], [0, width]).clamp(true), words = `utilization ${percent(resource.utilization)}, long-term demand ${percent(resource.demand)}`;
      const svg = addChart(cell, width, 24, words);
      addSvg(svg, 'rect', {x: 0, y: 2, width: x(1), height: 20, fill: 'var(--track)'});
      addSvg(svg, 'rect', {x: 0, y: 3, width: x(resource.utilization), height: 8, fill: '#0072B2'});
      addSvg(svg, 'rect', {x: 0, y: 13, width: x(Math.min(1, resource.demand)), height: 8, fill: svgPaint('#E69F00', 'falling')});
      if (resource.demand > 1) addSvg(svg, 'rect', {x: x(1), y: 13, width: Math.max(2, x(resource.demand) - x(1)), height: 8, fill: svgPaint('#D55E00', 'crossed')});
      addSvg(svg, 'rect', {x: x(1) - 1, y: 0, width: 2, height: 24, fill: 'var(--text)'});
    }}
  ], results.resources.slice().sort((a, b) => severities.indexOf(a.verdict) - severities.indexOf(b.verdict) || Math.max(b.demand, b.utilization) - Math.max(a.demand, a.utilization)));
  overTime(section);
  if (!results.operations.length) return;
  add(section, 'h3', {}, 'Operations on the GPU');
  addTable(section, `From submission to completion, in ${tableUnit}.`, [
    {title: 'Operation', kind: 'row', fill: (cell, entry) => entry.name},
    {title: 'Runnable', kind: 'words', fill: (cell, entry) => entry.runnable || '–'},
    {title: 'Bytes', kind: 'number', fill: (cell, entry) => entry.bytes === null ? '–' : entry.bytes.toLocaleString('en')},
    {title: 'Runs', kind: 'number', fill: (cell, entry) => entry.simulated.jobs.toLocaleString('en')},
    {title: 'Shortest', kind: 'number', fill: (cell, entry) => inTable(entry.simulated.min_ps)},
    {title: 'Mean', kind: 'number', fill: (cell, entry) => inTable(entry.simulated.mean_ps)},
    {title: 'Longest', kind: 'number', fill: (cell, entry) => inTable(entry.simulated.max_ps)},
    {title: 'Bound', kind: 'number', fill: (cell, entry) => boundInTable(entry.bound.wcrt_ps)}
  ], results.operations);
})();

/** Who uses each resource in every window of the simulated time. */
function overTime(section) {
  const engines = {core: 0, 'execution engine': 1, 'copy engine': 2}, windows = 120, size = schedule.end_ps / windows, wide = 600, high = 46;
  const entries = results.resources.filter(resource => resource.kind in engines).map(resource => {
    const uses = gantt.uses.get(`${resource.name}/${engines[resource.kind]}`) || [], byTask = new Map(), all = new Float64Array(windows);
    for (const [from, to, task] of uses) {
      if (!byTask.has(task)) byTask.set(task, new Float64Array(windows));
      for (let i = Math.floor(from / size); i < windows && i * size < to; ++i) {
        const share = (Math.min(to, (i + 1) * size) - Math.max(from, i * size)) / size;
        byTask.get(task)[i] += share;
        all[i] += share;
      }
    }
    const busiest = d3.scan(all, (a, b) => b - a);
    return {resource, byTask, all, busiest};
  }).filter(entry => entry.byTask.size);
  if (!entries.length) return;
  const recorded = i => schedule.recorded_ps.some(([from, to]) => from <= i * size * 1.000001 && to >= (i + 1) * size * 0.999999);
  const missing = schedule.cut ? d3.range(windows).filter(i => !recorded(i)) : [];
  add(section, 'h3', {}, 'Utilization over time');
  addTable(section, `From 0 to ${exact(schedule.end_ps)}, in windows of ${exact(size)}. The height is 100 %. Colors are those of the tasks in the schedule.` + (missing.length ? ' Gray windows are not, or only in part, in this file.' : ''), [
    {title: 'Resource', kind: 'row', fill: (cell, entry) => entry.resource.name + (entry.resource.kind === 'core' ? '' : ', ' + entry.resource.kind)},
    {title: 'All the time', kind: 'number', fill: (cell, entry) => percent(entry.resource.utilization)},
    {title: 'Busiest window', kind: 'number', fill: (cell, entry) => percent(Math.min(1, entry.all[entry.busiest]))},
    {title: 'It begins at', kind: 'number', key: entry => entry.busiest, fill: (cell, entry) => exact(entry.busiest * size)},
    {title: 'Over time', kind: 'chart', fill: (cell, entry) => {
      const svg = addChart(cell, wide, high, `${entry.resource.name}: ${percent(d3.min(entry.all))} to ${percent(Math.min(1, entry.all[entry.busiest]))} per window`);
      addSvg(svg, 'rect', {y: 1, width: wide, height: high - 2, fill: 'var(--track)'});
      for (const i of missing) addSvg(svg, 'rect', {x: i * wide / windows, y: 1, width: wide / windows, height: high - 2, fill: 'var(--strong-line)'});
      const base = new Float64Array(windows), y = share => (high - 1 - (high - 2) * Math.min(1, share)).toFixed(2);
      for (const [task, shares] of Array.from(entry.byTask).sort((a, b) => a[0] - b[0])) {
        let upper = '', lower = '';
        for (let i = 0; i < windows; ++i) {
          const from = i * wide / windows, to = (i + 1) * wide / windows;
          lower = `L${to} ${y(base[i])}L${from} ${y(base[i])}` + lower;
          base[i] += shares[i];
          upper += `${i ? 'L' : 'M'}${from} ${y(base[i])}L${to} ${y(base[i])}`;
        }
        const path = addSvg(svg, 'path', {d: upper + lower + 'Z', fill: svgPaint(...taskPaint(task))});
        addSvg(path, 'title', {}, tasks[task].name);
      }
    }}
  ], entries, (row, entry) => { row.dataset.overTime = entry.resource.name; });
}

addFindings(results.findings);

// ---- graph: the picture is there; the links of one task at a time, and what passes between tasks

(function graph() {
  const section = byId('graph'), svg = section.querySelector('svg'), links = Array.from(svg.querySelectorAll('.link'));
  if (!links.length) return;
  const kinds = {'': () => true, ' control': link => !link.classList.contains('data')};
  const tools = add(section, 'p', {class: 'tools'}), chosen = add(add(tools, 'label', {}, 'Arrows '), 'select', {id: 'arrows'});
  for (const [value, words] of [['', 'all'], [' control', 'activations and events']]) add(chosen, 'option', {value}, words);
  section.insertBefore(tools, svg.parentNode);
  const shade = name => {
    const wanted = kinds[name] || (link => link.dataset.from === name || link.dataset.to === name);
    for (const link of links) link.classList.toggle('faint', !wanted(link));
  };
  for (const task of svg.querySelectorAll('.task')) {
    const name = task.dataset.task;
    if (!links.some(link => link.dataset.from === name || link.dataset.to === name)) continue;
    add(chosen, 'option', {value: name}, 'of ' + name);
    task.addEventListener('mouseenter', () => shade(name));
    task.addEventListener('mouseleave', () => shade(chosen.value));
  }
  chosen.addEventListener('change', () => shade(chosen.value));
  const details = add(section, 'details', {}), words = {trigger: 'activates', event: 'sets an event for', data: 'writes data for'};
  add(details, 'summary', {}, `What the ${counted(links.length, 'arrow')} between tasks mean${links.length === 1 ? 's' : ''}`);
  addTable(details, null, [
    {title: 'Task', kind: 'row', fill: (cell, link) => link.dataset.from},
    {title: 'Effect', fill: (cell, link) => words[link.classList[1]]},
    {title: 'Other task', kind: 'words', fill: (cell, link) => link.dataset.to},
    {title: 'By', kind: 'words', fill: (cell, link) => link.querySelector('title').textContent.replace(/^\w+: /, '')}
  ], links);
})();

// ---- provenance

(function provenance() {
  const fact = addFacts(byId('provenance'));
  fact('Tool', `${results.tool.name} ${results.tool.version}`);
  fact(results.model.files.length > 1 ? 'Model files' : 'Model file', results.model.files.join(', '), true);
  fact('AMALTHEA version', results.model.version);
  fact('Model hash', results.model.hash, true);
  fact('Platform', [results.platform.name, ...results.platform.gpus.map(gpu => `${gpu.name}: profile ${gpu.profile}, ${gpu.frequency_mhz} MHz`)].filter(text => text).join('; '));
  fact('Options', data.options.map(([name, value]) => value ? name + ' ' + value : name).join('  '), true);
  fact('Simulated', exact(simulation.horizon_ps) + (simulation.hyperperiod_ps ? `; hyperperiod ${exact(simulation.hyperperiod_ps)}` : '') + `; ${simulation.events.toLocaleString('en')} simulated instants`);
  fact('Intervals in this file', schedule.spans.toLocaleString('en') + (schedule.cut ? ' (the beginning of the schedule)' : ' (the whole schedule)'));
  fact('Schemas of the data', `${data.schema}, ${results.schema}`);
  fact('Charts', 'D3 ' + d3.version + ' (its license is in this file)');
})();

finish();
