// SPDX-License-Identifier: Apache-2.0
// Draws the variants of how a GPU is shared from the data in this file.

const study = data.study, variants = study.variants;
const tasks = [];
const shownTimes = data.shown.flatMap(one => variants[one.variant].times);
chooseTableUnit(d3.max(shownTimes, times => Math.max(times.max_ps || 0, times.bound_ps || 0)) || 0);
const objective = value => value === null ? 'none' : study.bounds ? percent(value) : exact(Math.round(value * 1e12));
const [longestWords, meanWords] = study.bounds ? ['Largest bound', 'Mean response'] : ['Longest response', 'Mean response'];
const placeOf = (variant, index) => [variant.given && 'given', index === 0 && 'best', index === variants.length - 1 && 'worst', variant.pareto && 'Pareto'].filter(word => word).join(', ');
const numberOf = new Map(variants.map((variant, index) => [variant, index]));

byId('about').textContent = `${counted(variants.length, 'variant')} of ${counted(study.policies.length, 'policy', 'policies')}, ${study.all ? 'all that there are' : 'of more that there are'}`;

(function summary() {
  const section = byId('verdict'), given = variants.findIndex(variant => variant.given);
  const words = index => `${data.texts[index]} (${longestWords.toLowerCase()} ${objective(variants[index].longest)}, mean ${objective(variants[index].mean)})`;
  const facts = addFacts(section);
  facts('Given', `number ${given + 1} of ${variants.length}: ${words(given)}`);
  facts('Best', words(0));
  facts('Worst', words(variants.length - 1));
  facts('Pareto-optimal', counted(variants.filter(variant => variant.pareto).length, 'variant'));
  if (study.impossible) facts('Cannot run', counted(study.impossible, 'variant'));
  if (study.bounds) add(section, 'p', {class: 'soft'}, 'Response times are relative to deadlines, or to periods where there is none.');
  add(section, 'h3', {}, 'Policies');
  addTable(section, null, [
    {title: 'Policy', kind: 'row', fill: (cell, policy) => policy.name},
    {title: 'Choices', kind: 'words', fill: (cell, policy) => policy.choices.join(', ')}
  ], study.policies);
})();

(function front() {
  const section = byId('variants'), width = 680, height = 320, left = 70, bottom = 44;
  const drawn = variants.filter(variant => variant.longest !== null && variant.mean !== null);
  if (drawn.length > 1) {
    const svg = addChart(section, width, height, `${longestWords} and mean of ${counted(drawn.length, 'variant')}; Pareto-optimal ones are dark`);
    const range = key => { const [least, most] = d3.extent(drawn, variant => variant[key]), room = (most - least || most || 1) * 0.05; return [Math.max(0, least - room), most + room]; };
    const x = d3.scaleLinear(range('longest'), [left, width - 28]), y = d3.scaleLinear(range('mean'), [height - bottom, 12]);
    const ink = 'var(--text)', axis = {stroke: 'var(--strong-line)', fill: 'none'};
    addSvg(svg, 'path', {d: `M${left} 12V${height - bottom}H${width - 28}`, ...axis});
    const label = (at, words) => { addSvg(svg, 'text', at, words).style.fill = ink; };
    for (const tick of x.ticks(6)) label({x: x(tick), y: height - bottom + 16, 'text-anchor': 'middle'}, objective(tick));
    for (const tick of y.ticks(5)) label({x: left - 6, y: y(tick) + 4, 'text-anchor': 'end'}, objective(tick));
    label({x: (left + width) / 2, y: height - 8, 'text-anchor': 'middle'}, longestWords);
    label({x: 14, y: height / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${height / 2})`}, meanWords);
    for (const variant of drawn.slice().sort((a, b) => a.pareto - b.pareto || a.given - b.given)) {
      const at = [x(variant.longest), y(variant.mean)], paint = variant.given ? '#D55E00' : variant.pareto ? '#0072B2' : '#BBBBBB';
      const mark = variant.given ? addSvg(svg, 'rect', {x: at[0] - 5, y: at[1] - 5, width: 10, height: 10, fill: paint}) : addSvg(svg, 'circle', {cx: at[0], cy: at[1], r: variant.pareto ? 5 : 3, fill: paint});
      addSvg(mark, 'title', {}, `${numberOf.get(variant) + 1}: ${data.texts[numberOf.get(variant)]}`);
    }
    addLegend(section, 'Legend of the variants', [['#D55E00', null, 'given'], ['#0072B2', null, 'Pareto-optimal'], ['#BBBBBB', null, 'others']]);
  }
  const columns = [
    {title: 'Number', kind: 'number', fill: (cell, variant) => String(numberOf.get(variant) + 1)},
    {title: 'Place', fill: (cell, variant) => placeOf(variant, numberOf.get(variant))},
    {title: longestWords, kind: 'number', key: variant => variant.longest, fill: (cell, variant) => objective(variant.longest)},
    {title: 'Mean', kind: 'number', key: variant => variant.mean, fill: (cell, variant) => objective(variant.mean)},
    {title: 'Policies', kind: 'words', fill: (cell, variant) => data.texts[numberOf.get(variant)]}];
  if (study.bounds) columns.splice(2, 0, {title: 'Missed', kind: 'number', fill: (cell, variant) => String(variant.missed)}, {title: 'Not guaranteed', kind: 'number', fill: (cell, variant) => String(variant.not_guaranteed)});
  addTable(section, 'Best first.', columns, variants, null, 40);
})();

(function responses() {
  const section = byId('responses'), width = 260, height = 34;
  const rows = study.parties.flatMap((party, number) => data.shown.map(one => ({party, one, times: variants[one.variant].times[number], bins: one.distributions[number]})));
  const ends = study.parties.map((party, number) => d3.max(data.shown, one => Math.max(variants[one.variant].times[number].max_ps || 0)) * 1.03);
  const columns = [
    {title: study.bounds ? 'Task' : 'Stream', kind: 'row', fill: (cell, row) => row.party.name},
    {title: 'Variant', fill: (cell, row) => row.one.place},
    {title: 'Bound', kind: 'number', fill: (cell, row) => boundInTable(row.times.bound_ps)},
    {title: 'Median', kind: 'number', fill: (cell, row) => inTable(row.times.median_ps)},
    {title: '99 %', kind: 'number', fill: (cell, row) => inTable(row.times.p99_ps)},
    {title: 'Longest', kind: 'number', fill: (cell, row) => inTable(row.times.max_ps)},
    {title: 'Distribution', kind: 'chart', fill: (cell, row) => {
      if (!row.bins) return;
      const x = d3.scaleLinear([0, ends[study.parties.indexOf(row.party)]], [1, width - 4]), tallest = d3.max(row.bins, bin => bin[2]);
      const svg = addChart(cell, width, height, `${row.party.name}, ${row.one.place}: ${exact(row.times.min_ps)} to ${exact(row.times.max_ps)}`);
      for (const [lower, upper, jobs] of row.bins) {
        const tall = jobs && Math.max(1.5, (height - 4) * jobs / tallest), from = row.bins.length === 1 ? x(upper) - 2 : x(lower);
        if (jobs) addSvg(svg, 'rect', {x: from, y: height - 2 - tall, width: Math.max(1.5, x(upper) - from - 0.3), height: tall, fill: '#0072B2'});
      }
      addSvg(svg, 'path', {d: `M1 ${height - 1}H${width - 4}`, stroke: 'var(--strong-line)'});
    }}];
  if (study.bounds) columns.splice(3, 0, {title: 'Limit', kind: 'number', fill: (cell, row) => inTable(row.party.limit_ps)});
  addTable(section, `Simulated response times in ${tableUnit}. Bars: 0 at the left, one scale for each ${study.bounds ? 'task' : 'stream'}.`, columns, rows);
})();

finish();
unfold(byId('variants'));  // the pictures are what one looks for
