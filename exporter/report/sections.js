// SPDX-License-Identifier: Apache-2.0

// ---- chains

(function chains() {
  if (!results.chains.length) return remove('chains');
  const section = byId('chains');
  const value = (chain, way, key) => (way === 'implicit' || way === 'explicit' ? boundInTable : inTable)(chain[way][key]);
  addTable(section, `End-to-end latencies in ${tableUnit}: exact under LET, upper bounds under implicit and explicit communication; “seen” is the longest one in the simulation under implicit communication.`, [
    {title: 'Chain', kind: 'row', fill: (cell, chain) => chain.name},
    {title: 'Reaction seen', kind: 'number', fill: (cell, chain) => value(chain, 'simulated', 'reaction_ps')},
    {title: 'implicit', kind: 'number', fill: (cell, chain) => value(chain, 'implicit', 'reaction_ps')},
    {title: 'explicit', kind: 'number', fill: (cell, chain) => value(chain, 'explicit', 'reaction_ps')},
    {title: 'LET', kind: 'number', fill: (cell, chain) => value(chain, 'let', 'reaction_ps')},
    {title: 'Age seen', kind: 'number', fill: (cell, chain) => value(chain, 'simulated', 'age_ps')},
    {title: 'implicit', kind: 'number', fill: (cell, chain) => value(chain, 'implicit', 'age_ps')},
    {title: 'LET', kind: 'number', fill: (cell, chain) => value(chain, 'let', 'age_ps')},
    {title: 'Tasks', kind: 'words', fill: (cell, chain) => chain.tasks.join(' → ')}
  ], results.chains);
  const limits = results.chains.flatMap(chain => chain.constraints.map(limit => ({chain: chain.name, limit})));
  if (limits.length) {
    add(section, 'h3', {}, 'Limits');
    addTable(section, null, [
      {title: 'Limit', kind: 'row', fill: (cell, entry) => entry.limit.name || entry.chain},
      {title: 'Chain', kind: 'words', fill: (cell, entry) => entry.chain},
      {title: 'Type', fill: (cell, entry) => entry.limit.type},
      {title: 'At least', kind: 'number', fill: (cell, entry) => exact(entry.limit.minimum_ps)},
      {title: 'At most', kind: 'number', fill: (cell, entry) => exact(entry.limit.maximum_ps)},
      ...['implicit', 'explicit', 'let'].map(way => ({title: way === 'let' ? 'LET' : way, fill: (cell, entry) => addMark(cell, entry.limit[way])})),
      {title: 'Judged', fill: (cell, entry) => addMark(cell, entry.limit.guaranteed ? 'guaranteed' : entry.limit.verdict)},
      {title: 'Reason', kind: 'words', fill: (cell, entry) => entry.limit.reason}
    ], limits);
  }
  const reasons = results.chains.filter(chain => chain.implicit.reason);
  if (reasons.length) {
    const details = add(section, 'details', {});
    add(details, 'summary', {}, `Why ${counted(reasons.length, 'chain has', 'chains have')} no bound`);
    const list = add(details, 'ul', {});
    for (const chain of reasons) add(list, 'li', {}, `${chain.name}: ${chain.implicit.reason}`);
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
  addTable(section, 'Utilization: share of the simulated time in which the resource executes, polls or serves a context. Long-term demand: utilization by the worst-case load, in which polling counts with the device time without interference. The line marks 100 %.', [
    {title: 'Verdict', fill: (cell, resource) => addMark(cell, resource.verdict)},
    {title: 'Resource', kind: 'row', fill: (cell, resource) => resource.name},
    {title: 'Kind', fill: (cell, resource) => resource.kind},
    {title: 'Utilization', kind: 'number', fill: (cell, resource) => percent(resource.utilization)},
    {title: 'Long-term demand', kind: 'number', fill: (cell, resource) => percent(resource.demand)},
    {title: 'Utilization and demand', kind: 'chart', fill: (cell, resource) => {
      const x = d3.scaleLinear([0, top], [0, width]).clamp(true), words = `utilization ${percent(resource.utilization)}, long-term demand ${percent(resource.demand)}`;
      const svg = addSvg(cell, 'svg', {class: 'chart', width: width, height: 24, role: 'img', 'aria-label': words});
      addSvg(svg, 'title', {}, words);
      addSvg(svg, 'rect', {x: 0, y: 2, width: x(1), height: 20, fill: 'var(--track)'});
      addSvg(svg, 'rect', {x: 0, y: 3, width: x(resource.utilization), height: 8, fill: '#0072B2'});
      addSvg(svg, 'rect', {x: 0, y: 13, width: x(Math.min(1, resource.demand)), height: 8, fill: svgPaint('#E69F00', 'falling')});
      if (resource.demand > 1) addSvg(svg, 'rect', {x: x(1), y: 13, width: Math.max(2, x(resource.demand) - x(1)), height: 8, fill: svgPaint('#D55E00', 'crossed')});
      addSvg(svg, 'rect', {x: x(1) - 1, y: 0, width: 2, height: 24, fill: 'var(--text)'});
    }}
  ], results.resources);
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

addFindings(results.findings);

// ---- provenance

(function provenance() {
  const facts = add(byId('provenance'), 'dl', {class: 'facts'});
  const fact = (name, value, code) => {
    if (!value) return;
    add(facts, 'dt', {}, name);
    add(add(facts, 'dd', {}), code ? 'code' : 'span', {}, value);
  };
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
