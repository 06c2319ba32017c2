// SPDX-License-Identifier: Apache-2.0

// ---- schedule

const gantt = (function () {
  const nothing = {jump() {}, uses: new Map()};
  if (!schedule.spans) { remove('schedule'); return nothing; }
  const section = byId('schedule'), end = schedule.end_ps, unit = schedule.unit_ps;
  const stateOf = code => schedule.standings[code][0], kindOf = code => schedule.standings[code][1];
  const trafficOf = code => schedule.standings[code][6];
  const byOf = code => schedule.standings[code][2], unitOf = code => schedule.standings[code][3];
  const engineOf = code => schedule.standings[code][4], whatOf = code => schedule.standings[code][5];
  const states = {
    running: ['#0072B2', null, 'running'], polling: ['#E69F00', 'rising', 'polling on its core'], ready: ['#D55E00', 'falling', 'ready, not running'],
    waiting: ['#BBBBBB', null, 'waiting, off its core'], parking: ['#F0E442', 'crossed', 'parking: polling, preempted'], active: ['#F0E442', 'upright', 'released, not yet started']
  };
  const isSlowed = code => stateOf(code) === 'running' && byOf(code) >= 0;
  const works = code => stateOf(code) === 'running' || stateOf(code) === 'polling';
  // Rows hold their spans as columns of numbers, by their start.
  function makeRow(kind, name, index, spans) {
    const n = spans.length / 5;
    const row = {kind, name, index, n, start: new Float64Array(n), end: new Float64Array(n), task: new Int32Array(n), code: new Int32Array(n),
                 job: new Int32Array(n), busy: new Float64Array(n + 1), pale: new Float64Array(n + 1)};
    for (let i = 0; i < n; ++i) {
      row.start[i] = spans[5 * i]; row.end[i] = spans[5 * i + 1]; row.task[i] = spans[5 * i + 2]; row.code[i] = spans[5 * i + 3]; row.job[i] = spans[5 * i + 4];
      const length = row.end[i] - row.start[i], working = works(row.code[i]);
      row.busy[i + 1] = row.busy[i] + (working ? length : 0);
      row.pale[i + 1] = row.pale[i] + (working ? 0 : length);
    }
    return row;
  }
  const taskRows = [], onUnits = new Map(), jobs = [];
  for (let task = 0; task < tasks.length; ++task) {
    const coded = schedule.tasks[task].spans, codedJobs = schedule.tasks[task].jobs;
    const own = {number: [], release: [], response: []}, spans = [], jobOfSpan = [];
    for (let i = 0, number = 0, release = 0; i < codedJobs.length; i += 4) {
      own.number.push(number += codedJobs[i]);
      own.release.push((release += codedJobs[i + 1]) * unit);
      own.response.push(codedJobs[i + 2] < 0 ? null : codedJobs[i + 2] * unit);
      for (let k = 0; k < codedJobs[i + 3]; ++k) jobOfSpan.push(own.number.length - 1);
    }
    jobs.push(own);
    for (let i = 0, at = 0; i < coded.length; i += 3) {
      const from = at + coded[i], to = from + coded[i + 1], code = coded[i + 2];
      at = to;
      const span = [from * unit, to * unit, task, code, jobOfSpan[i / 3]];
      spans.push(...span);
      const where = unitOf(code), engine = engineOf(code), device = where >= 0 && schedule.units[where].gpu;
      if (where < 0 || !works(code) || (device && engine === 0)) continue;
      const key = where * 3 + (device ? engine : 0);
      if (!onUnits.has(key)) onUnits.set(key, []);
      const list = onUnits.get(key), before = list[list.length - 1];
      // On a core a job is one bar, whatever runnable it executes.
      if (before && !device && before[2] === task && before[4] === span[4] && before[1] === span[0] && stateOf(before[3]) === stateOf(code)) before[1] = span[1];
      else list.push(span.slice());
    }
    if (spans.length) taskRows.push(makeRow('task', tasks[task].name, task, spans));
  }
  const unitRows = [];
  for (const key of Array.from(onUnits.keys()).sort((a, b) => a - b)) {
    const spans = onUnits.get(key).sort((a, b) => a[0] - b[0]), engine = key % 3, name = schedule.units[Math.floor(key / 3)].name;
    const lanes = [], ends = [];  // kernels of several streams may run on a GPU at the same time
    for (const span of spans) {
      let lane = ends.findIndex(end => end <= span[0]);
      if (lane < 0) lane = lanes.length;
      (lanes[lane] = lanes[lane] || []).push(...span);
      ends[lane] = span[1];
    }
    lanes.forEach((lane, i) => unitRows.push(makeRow('unit', name + ['', ' kernels', ' copies'][engine] + (i ? ` (${i + 1})` : ''), key, lane)));
  }

  /** Who uses a resource when, as "unit/engine" → [from, to, task], ordered and without overlaps. */
  const uses = new Map();
  for (const [key, spans] of onUnits) {
    const list = [];
    for (const [from, to, task] of spans.sort((a, b) => a[0] - b[0])) {
      const begin = list.length ? Math.max(from, list[list.length - 1][1]) : from;
      if (to > begin) list.push([begin, to, task]);
    }
    uses.set(`${schedule.units[Math.floor(key / 3)].name}/${key % 3}`, list);
  }

  // SMs: one row each, with the resident blocks of launched kernels below each other.
  const smRows = [];
  {
    const rowsBySm = new Map();
    for (const [from, to, task, sm] of schedule.blocks) {
      const unit = schedule.units.findIndex(one => one.name === tasks[task].core), key = unit * 4096 + sm;
      if (!rowsBySm.has(key)) rowsBySm.set(key, {kind: 'sm', name: `${tasks[task].core} SM ${sm}`, index: key, n: 0, blocks: [], ends: []});
      rowsBySm.get(key).blocks.push({from, to, task});
    }
    for (const key of Array.from(rowsBySm.keys()).sort((a, b) => a - b)) {
      const row = rowsBySm.get(key);
      row.blocks.sort((a, b) => a.from - b.from);
      for (const block of row.blocks) {
        block.lane = row.ends.findIndex(end => end <= block.from);
        if (block.lane < 0) block.lane = row.ends.length;
        row.ends[block.lane] = block.to;
      }
      smRows.push(row);
    }
  }

  // ---- controls

  if (schedule.cut) {
    const parts = schedule.recorded_ps.length === 1 ? '' : ', and the beginnings of the longest jobs after it';
    add(section, 'p', {class: 'note', id: 'cut'}, `This file contains only a part of the ${exact(end)}: the first ${exact(schedule.recorded_ps[0][1])}${parts} (${counted(schedule.spans, 'interval')}). --trace-events N keeps more. Verdicts and numbers cover the whole simulation.`);
  }
  const tools = add(section, 'div', {class: 'tools', role: 'toolbar', 'aria-label': 'Schedule'});
  const button = (words, label, act) => add(tools, 'button', {type: 'button', 'aria-label': label, title: label}, words).addEventListener('click', act);
  button('Whole schedule', 'Show the whole schedule', () => show(0, end));
  button('◀', 'Earlier', () => move(-0.3));
  button('▶', 'Later', () => move(0.3));
  button('+', 'Zoom in', () => zoomBy(2));
  button('−', 'Zoom out', () => zoomBy(0.5));
  const jumpLabel = add(tools, 'label', {}, 'Longest job of');
  const jumpList = add(jumpLabel, 'select', {id: 'jump'});
  add(jumpList, 'option', {value: ''}, 'choose a task');
  for (const task of tasks) if (!task.folded_into && task.worst_release_ps !== null) add(jumpList, 'option', {value: task.name}, task.name);
  jumpList.addEventListener('change', () => { if (jumpList.value) jump(jumpList.value); });
  const rowsLabel = add(tools, 'label', {}, 'Rows');
  const rowsList = add(rowsLabel, 'select', {id: 'rows'});
  for (const [value, words] of [['all', 'resources and tasks'], ['units', 'resources'], ['tasks', 'tasks']]) add(rowsList, 'option', {value: value}, words);
  if (taskRows.length > 60) rowsList.value = 'units';
  rowsList.addEventListener('change', () => { layOut(); draw(); });
  const shownWords = add(tools, 'output', {id: 'shown', class: 'soft'});
  const hint = add(section, 'p', {class: 'hint', id: 'keys'});
  for (const [key, words] of [['click', 'a bar: what it is; a task’s name: its longest job'], ['wheel', 'zoom, once the chart is clicked (or with Ctrl)'], ['drag', 'move'],
                              ['← →', 'move'], ['+ −', 'zoom'], ['↑ ↓', 'row'], [', .', 'bar before, after'], ['Enter', 'zoom to the bar'],
                              ['L', 'longest job of the row’s task'], ['0', 'all']]) {
    const one = add(hint, 'span', {});
    add(one, 'kbd', {}, key);
    one.append(' ' + words);
    hint.append(' ');
  }
  const mostRows = 650;  // browsers draw no larger canvas
  const tooMany = add(section, 'p', {class: 'note'}, `Only the first ${mostRows} rows are drawn.`);
  const frame = add(section, 'div', {class: 'gantt'});
  const overview = add(frame, 'canvas', {id: 'overview', 'aria-hidden': 'true'});
  const scroller = add(frame, 'div', {class: 'rows'});
  const canvas = add(scroller, 'canvas', {id: 'timeline', tabindex: '0', role: 'application', 'aria-label': 'Schedule: rows of bars over time', 'aria-describedby': 'keys'});
  const details = add(section, 'div', {id: 'details', role: 'status', 'aria-live': 'polite'}, 'Nothing is selected.');
  addLegend(section, 'States of tasks', Object.keys(states).filter(state => schedule.standings.some(standing => standing[0] === state)).map(state => states[state])
    .concat(schedule.standings.some((standing, code) => isSlowed(code)) ? [[...kinds.interference.slice(0, 2), 'lower edge: slowed by memory contention']] : []));
  add(section, 'p', {class: 'hint'}, 'Rows of resources show which task is served. Each task has its own color and pattern' + (schedule.standings.some(standing => standing[0] === 'polling') ? '; polling is hollow. ' : '. ') + (smRows.length ? 'Rows of SMs have a bar for each resident block. ' : '') + 'Where several bars fall within one pixel, the height shows the utilization. Rows of tasks: marks at the top are releases; a line at the bottom marks the time after the deadline.');

  // ---- drawing

  const rowHeight = 24, barHeight = 18, axisHeight = 26, overviewHeight = 44, right = 8;
  let left = 176, width = 0, height = 0, rows = [];
  let base = d3.scaleLinear([0, end], [0, 1]), time = base;
  let chosen = null;     // {row, i}
  let chosenRow = null;
  const context = canvas.getContext('2d'), small = overview.getContext('2d');
  let profile = null;
  const shortest = Math.min(1e6, end);  // a microsecond, at the most magnified
  const zoom = d3.zoom().scaleExtent([1, end / shortest])
    .filter(() => d3.event.type === 'wheel' ? d3.event.ctrlKey || document.activeElement === canvas : !d3.event.button)
    .on('zoom', () => {
      time = d3.event.transform.rescaleX(base);
      note();
      drawSoon();
    });
  const selection = d3.select(canvas).call(zoom).on('dblclick.zoom', null);

  function note() {
    const [from, to] = time.domain();
    canvas.dataset.from = from;
    canvas.dataset.to = to;
    shownWords.textContent = `${exact(Math.round(from / 1e3) * 1e3)} to ${exact(Math.round(to / 1e3) * 1e3)} (${exact(to - from)})`;
  }

  function layOut() {
    const which = rowsList.value, [from, to] = time.domain();
    const all = (which === 'tasks' ? [] : unitRows.concat(smRows)).concat(which === 'units' ? [] : taskRows);
    rows = all.slice(0, mostRows);
    tooMany.hidden = all.length <= mostRows;
    width = Math.max(280, printing ? 1000 : frame.clientWidth);
    context.font = 'bold ' + font;
    left = width < 600 ? 96 : Math.min(280, Math.max(176, d3.max(rows, row => context.measureText(row.name).width) + 34));
    height = axisHeight + rows.length * rowHeight + 6;
    const ratio = printing ? 2 : window.devicePixelRatio || 1;
    for (const [target, drawing, h] of [[canvas, context, height], [overview, small, overviewHeight]]) {
      target.width = Math.round(width * ratio);
      target.height = Math.round(h * ratio);
      target.style.height = printing ? 'auto' : h + 'px';
      drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    base = d3.scaleLinear([0, end], [left, width - right]);
    zoom.extent([[left, 0], [width - right, height]]).translateExtent([[left, -Infinity], [width - right, Infinity]]);
    profile = null;
    show(from, to, true);
  }

  const fitted = new Map();
  /** The text, or its beginning, or nothing. */
  function fit(drawing, text, room) {
    const key = drawing.font + '|' + text + '|' + Math.round(room);
    if (fitted.has(key)) return fitted.get(key);
    let shown = text;
    const whole = drawing.measureText(text).width;
    if (whole > room) {
      let size = Math.floor(text.length * room / whole);
      while (size > 0 && drawing.measureText(text.slice(0, size) + '…').width > room) --size;
      shown = size > 2 ? text.slice(0, size) + '…' : '';
    }
    if (fitted.size > 20000) fitted.clear();
    fitted.set(key, shown);
    return shown;
  }

  const font = '12px "Liberation Sans", "DejaVu Sans", system-ui, sans-serif';
  /** The first of `row` that ends after `at`. */
  const firstAfter = (row, at) => d3.bisectRight(row.end, at);

  /** Time in use up to `moment`; `i` is the first span that ends after it. */
  const busyUntil = (row, moment, i) => row.busy[i] + (i < row.n && row.start[i] < moment && works(row.code[i]) ? moment - row.start[i] : 0);

  function draw() {
    const colours = theme(), [from, to] = time.domain(), perPixel = (to - from) / (width - right - left);
    context.clearRect(0, 0, width, height);
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, height);
    context.font = font;
    context.textBaseline = 'middle';
    rows.forEach((row, i) => {
      const top = axisHeight + i * rowHeight;
      if (i % 2 === 0) { context.fillStyle = colours.band; context.fillRect(0, top, width, rowHeight); }
      if (chosenRow === row) { context.strokeStyle = colours.strong; context.strokeRect(1.5, top + 0.5, width - 3, rowHeight - 1); }
      let x = 8;
      if (row.kind === 'task') {
        const [colour, hatch] = taskPaint(row.index);
        context.fillStyle = canvasPaint(context, colour, hatch);
        context.fillRect(8, top + 7, 10, 10);
        x = 24;
      } else {
        context.font = 'bold ' + font;
      }
      context.fillStyle = colours.text;
      context.fillText(fit(context, row.name, left - x - 8), x, top + rowHeight / 2);
      context.font = font;
      if (row.kind === 'task' && i > 0 && rows[i - 1].kind !== 'task') { context.fillStyle = colours.strong; context.fillRect(0, top - 1, width, 2); }
    });
    drawAxis(colours, from, to);
    context.save();
    context.beginPath();
    context.rect(left, 0, width - right - left, height);
    context.clip();
    drawGaps(colours);
    rows.forEach((row, i) => drawRow(row, axisHeight + i * rowHeight, colours, from, to, perPixel));
    if (simulation.horizon_ps < end) {
      context.fillStyle = colours.text;
      context.fillRect(time(simulation.horizon_ps), axisHeight, 1.5, height);
    }
    context.restore();
    drawOverview(colours, from, to);
    note();
  }

  function drawAxis(colours, from, to) {
    const span = to - from;
    const [size, name] = units.find(([size]) => span >= 2 * size) || units[4];
    const scaled = d3.scaleLinear([from / size, to / size], [left, width - right]);
    const ticks = scaled.ticks(Math.max(2, Math.floor((width - left) / 110)));
    const format = scaled.tickFormat(ticks.length);
    context.textAlign = 'center';
    for (const tick of ticks) {
      const x = Math.round(scaled(tick)) + 0.5;
      context.strokeStyle = colours.line;
      context.beginPath();
      context.moveTo(x, axisHeight - 5);
      context.lineTo(x, height);
      context.stroke();
      const words = format(tick) + ' ' + name, half = context.measureText(words).width / 2;
      context.fillStyle = colours.soft;
      context.fillText(words, Math.min(Math.max(x, left + half), width - 4 - half), axisHeight / 2 - 2);
    }
    context.textAlign = 'left';
  }

  function drawGaps(colours) {
    if (!schedule.cut) return;
    let at = 0;
    const gap = (begin, finish) => {
      const x0 = Math.max(time(begin), left), x1 = Math.min(time(finish), width - right);
      if (x1 <= x0) return;
      context.fillStyle = colours.line;
      context.fillRect(x0, axisHeight, x1 - x0, height);
      if (x1 - x0 > 100) {
        context.fillStyle = colours.text;
        context.fillText('not recorded', x0 + 8, axisHeight + 12);
      }
    };
    for (const [begin, finish] of schedule.recorded_ps) { gap(at, begin); at = finish; }
    gap(at, end);
  }

  /** The blocks that are resident on an SM, one bar each. */
  function drawBlocks(row, y, from, to) {
    const tall = barHeight / row.ends.length;
    for (const block of row.blocks) {
      if (block.to <= from || block.from >= to) continue;
      const x0 = Math.max(time(block.from), left - 2), x1 = Math.min(time(block.to), width), [colour, hatch] = taskPaint(block.task);
      context.fillStyle = canvasPaint(context, colour, hatch);
      context.fillRect(x0, y + block.lane * tall, Math.max(0.7, x1 - x0 - 0.7), tall > 3 ? tall - 0.7 : tall);
    }
  }
  /** What is resident there at a moment: "SM 0: 4 blocks of Vision, 2 blocks of Radar". */
  function residentWords(row, moment) {
    const resident = new Map();
    for (const block of row.blocks) if (block.from <= moment && moment < block.to) resident.set(block.task, (resident.get(block.task) || 0) + 1);
    return row.name + ': ' + (Array.from(resident, ([task, blocks]) => counted(blocks, 'block') + ' of ' + nameOf(task)).join(', ') || 'no block');
  }

  function drawRow(row, top, colours, from, to, perPixel) {
    const y = top + (rowHeight - barHeight) / 2, isTask = row.kind === 'task';
    if (row.kind === 'sm') return drawBlocks(row, y, from, to);
    let column = left - 1;  // the last finished pixel
    for (let i = firstAfter(row, from); i < row.n && row.start[i] < to;) {
      const x0 = time(row.start[i]), x1 = time(row.end[i]);
      if (x1 - x0 >= 1) {
        drawBar(row, i, Math.max(x0, left - 2), Math.min(x1, width), y, colours);
        ++i;
        continue;
      }
      // Narrower than a pixel: all within this pixel becomes one bar, as high as its share of the time.
      column = Math.max(Math.floor(x0), column + 1);
      const begin = time.invert(column), finish = time.invert(column + 1), next = firstAfter(row, finish);
      const share = Math.min(1, (busyUntil(row, finish, next) - busyUntil(row, begin, firstAfter(row, begin))) / perPixel);
      let widest = i, pale = 0;
      for (let k = i; k < Math.min(next, i + 8); ++k) if (row.end[k] - row.start[k] > row.end[widest] - row.start[widest]) widest = k;
      if (isTask) pale = Math.min(1 - share, (row.pale[next] - row.pale[i]) / perPixel);
      if (pale > 0) {
        context.fillStyle = states.ready[0];
        context.globalAlpha = 0.45;
        context.fillRect(column, y + barHeight * (1 - share - pale), 1, barHeight * pale);
        context.globalAlpha = 1;
      }
      if (share > 0) {
        const tall = Math.max(2, barHeight * share);
        context.fillStyle = isTask ? states.running[0] : taskPaint(row.task[widest])[0];
        context.fillRect(column, y + barHeight - tall, 1, tall);
      }
      i = Math.max(i, next);
    }
    if (chosen && chosen.row === row) {
      const x0 = Math.max(time(row.start[chosen.i]), left - 3), x1 = Math.min(time(row.end[chosen.i]), width + 3);
      context.strokeStyle = colours.ink;
      context.lineWidth = 2.5;
      context.strokeRect(x0 - 1, y - 1, Math.max(3, x1 - x0 + 2), barHeight + 2);
      context.lineWidth = 1;
    }
    if (isTask) drawJobs(row, top, colours, from, to);
  }

  function drawBar(row, i, x0, x1, y, colours) {
    const code = row.code[i], state = stateOf(code), size = x1 - x0;
    let colour, hatch, text;
    if (row.kind === 'unit') {
      [colour, hatch] = taskPaint(row.task[i]);
      text = tasks[row.task[i]].name;
      if (state === 'polling') {  // holds the core without working
        context.fillStyle = colours.page;
        context.fillRect(x0, y, size, barHeight);
        context.fillStyle = canvasPaint(context, colour, hatch);
        context.fillRect(x0, y, size, 3);
        context.fillRect(x0, y + barHeight - 3, size, 3);
        if (size > 26) label(fit(context, text + ' polls', size - 10), x0 + 5, y, colours.text, null);
        return;
      }
    } else {
      [colour, hatch] = states[state] || states.waiting;
      const what = whatOf(code);
      text = state === 'running' ? (what >= 0 ? schedule.names[what] : tasks[row.task[i]].name) : describe(kindOf(code), nameOf(byOf(code)));
      if (state === 'waiting') {
        context.fillStyle = colours.strong;
        context.fillRect(x0, y + barHeight / 2 - 1, size, 2);
        if (size > 60) label(fit(context, text, size - 14), x0 + 7, y, colours.text, colours.page);
        return;
      }
    }
    context.fillStyle = canvasPaint(context, colour, hatch);
    context.fillRect(x0, y, size > 3 ? size - 0.7 : size, barHeight);
    if (isSlowed(code)) {  // by contention: a shade of the bar, and who causes it
      context.fillStyle = canvasPaint(context, kinds.interference[0], kinds.interference[1]);
      context.fillRect(x0, y + barHeight - 6, size > 3 ? size - 0.7 : size, 6);
      text += ', slowed by ' + aggressor(nameOf(byOf(code)), trafficOf(code));
    }
    if (size > 26) label(fit(context, text, size - 10), x0 + 5, y, hatch ? '#000000' : inkOn(colour), hatch ? '#ffffff' : null);
  }

  function label(text, x, y, ink, back) {
    if (!text) return;
    if (back) {
      context.fillStyle = back;
      context.fillRect(x - 2, y + 2.5, context.measureText(text).width + 4, barHeight - 5);
    }
    context.fillStyle = ink;
    context.fillText(text, x, y + barHeight / 2 + 0.5);
  }

  function drawJobs(row, top, colours, from, to) {
    const own = jobs[row.index], deadline = tasks[row.index].deadline_ps;
    // Jobs end in order: the first that may still be active at `from`.
    let first = Math.max(0, d3.bisectLeft(own.release, from) - 1);
    while (first > 0 && (own.response[first - 1] === null || own.release[first - 1] + own.response[first - 1] > from)) --first;
    const last = d3.bisectRight(own.release, to);
    if (last - first > (width - left) / 5) return;
    for (let job = first; job < last; ++job) {
      const x = time(own.release[job]);
      context.fillStyle = colours.text;
      context.fillRect(x - 0.5, top, 1.5, 5);
      context.beginPath();
      context.moveTo(x - 2.5, top + 3); context.lineTo(x + 3, top + 3); context.lineTo(x + 0.25, top);
      context.fill();
      if (deadline === null) continue;
      const finish = own.response[job] === null ? end : own.release[job] + own.response[job];
      const x0 = Math.max(left, time(own.release[job] + deadline)), x1 = Math.min(width, time(finish));
      context.fillStyle = colours.bad;
      if (x1 > x0) context.fillRect(x0, top + rowHeight - 3, x1 - x0, 2.5);
    }
  }

  /** How much of all resources is in use, pixel by pixel, with the part shown framed. */
  function drawOverview(colours, from, to) {
    const x = d3.scaleLinear([0, end], [left, width - right]), size = Math.floor(width - right - left);
    if (!profile) {
      profile = new Float64Array(size);
      const step = end / size, of = unitRows.length ? unitRows : taskRows;
      for (const row of of) {
        let before = 0;
        for (let pixel = 0; pixel < size; ++pixel) {
          const until = (pixel + 1) * step, sum = busyUntil(row, until, firstAfter(row, until));
          profile[pixel] += (sum - before) / step / of.length;
          before = sum;
        }
      }
    }
    small.fillStyle = colours.page;
    small.fillRect(0, 0, width, overviewHeight);
    small.font = font;
    small.textBaseline = 'middle';
    small.fillStyle = colours.soft;
    small.fillText(fit(small, 'load of all resources', left - 16), 8, overviewHeight / 2);
    small.fillStyle = colours.band;
    small.fillRect(left, 4, size, overviewHeight - 8);
    small.fillStyle = colours.strong;
    profile.forEach((share, pixel) => {
      const tall = (overviewHeight - 8) * Math.min(1, share);
      small.fillRect(left + pixel, overviewHeight - 4 - tall, 1, tall);
    });
    const x0 = x(from), x1 = Math.max(x(to), x0 + 3);
    small.fillStyle = colours.page;
    small.globalAlpha = 0.6;
    small.fillRect(left, 0, x0 - left, overviewHeight);
    small.fillRect(x1, 0, width - right - x1, overviewHeight);
    small.globalAlpha = 1;
    small.strokeStyle = colours.text;
    small.lineWidth = 2;
    small.strokeRect(x0, 2, x1 - x0, overviewHeight - 4);
  }

  let waiting = false;
  function drawSoon() {
    if (waiting) return;
    waiting = true;
    window.requestAnimationFrame(() => { waiting = false; draw(); });
  }

  // ---- moving about

  /** From `from` to `to`, as far as that exists. */
  function show(from, to, quietly) {
    const size = Math.min(end, Math.max(to - from, shortest));
    from = Math.min(Math.max(0, from), end - size);
    const k = end / size;
    selection.call(zoom.transform, d3.zoomIdentity.translate(left - k * base(from), 0).scale(k));
    if (!quietly) draw();
  }
  function move(share) {
    const [from, to] = time.domain();
    show(from + share * (to - from), to + share * (to - from));
  }
  function zoomBy(factor) {
    const [from, to] = time.domain(), middle = (from + to) / 2;
    show(middle - (middle - from) / factor, middle + (to - middle) / factor);
  }

  const nameOf = task => task >= 0 ? tasks[task].name : '';
  function wordsOf(row, i) {
    const code = row.code[i], state = stateOf(code), what = whatOf(code);
    const doing = [state + (unitOf(code) >= 0 ? ' on ' + schedule.units[unitOf(code)].name : '')];
    if (what >= 0 && (row.kind === 'task' || engineOf(code))) doing.push(schedule.names[what]);
    let words = doing.join(', ');
    if (kindOf(code) && (state !== 'running' || (kindOf(code) !== 'execution' && byOf(code) >= 0))) words += ` (${byOf(code) >= 0 && state === 'running' ? 'slowed by ' + aggressor(nameOf(byOf(code)), trafficOf(code)) : describe(kindOf(code), nameOf(byOf(code)))})`;
    return words;
  }

  function tell(row, i) {
    const task = row.task[i], own = jobs[task], job = row.job[i], deadline = tasks[task].deadline_ps, response = own.response[job];
    details.textContent = '';
    const line = add(details, 'div', {});
    add(line, 'b', {}, tasks[task].name);
    line.append(`, job ${own.number[job]}: ${wordsOf(row, i)}`);
    const times = add(details, 'div', {}, `${exact(row.start[i])} to ${exact(row.end[i])}, for ${exact(row.end[i] - row.start[i])}.`);
    times.dataset.from = row.start[i];
    times.dataset.to = row.end[i];
    let words = `Released at ${exact(own.release[job])}, ` + (response === null ? 'not finished in this schedule' : `response time ${exact(response)}`);
    if (deadline !== null && response !== null) words += response > deadline ? `, ${exact(response - deadline)} after its deadline` : `, ${exact(deadline - response)} before its deadline`;
    const last = add(details, 'div', {}, words + '.');
    last.dataset.release = own.release[job];
    if (response !== null) last.dataset.response = response;
  }
  function choose(row, i) {
    chosen = {row, i};
    chosenRow = row;
    tell(row, i);
    const [from, to] = time.domain(), size = to - from;
    if (row.end[i] <= from || row.start[i] >= to) show(row.start[i] - size / 4, row.start[i] + size * 3 / 4);
    reveal(row);
    drawSoon();
  }
  function chooseRow(row) {
    chosenRow = row;
    const [from, to] = time.domain(), i = row.kind === 'sm' ? 0 : firstAfter(row, from);
    if (row.kind === 'sm') details.textContent = residentWords(row, (from + to) / 2) + ' in the middle of the part shown.';
    if (i < row.n && row.start[i] < to) return choose(row, i);
    chosen = null;
    if (row.kind !== 'sm') details.textContent = row.name + ': nothing in the part shown.';
    reveal(row);
    drawSoon();
  }
  function reveal(row) {
    const top = axisHeight + rows.indexOf(row) * rowHeight;
    if (top < scroller.scrollTop + axisHeight) scroller.scrollTop = top - axisHeight;
    else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + rowHeight - scroller.clientHeight;
  }

  /** Shows the longest job of a task. */
  function jump(name, quietly) {
    const task = functionOf(tasks.find(one => one.name === name)), release = task.worst_release_ps, response = task.simulated.max_ps;
    if (release === null) return;
    const row = taskRows.find(one => one.index === tasks.indexOf(task));
    if (rowsList.value === 'units') { rowsList.value = 'all'; layOut(); }
    show(release - response * 0.04, release + response * 1.06, true);
    jumpList.value = task.name;
    if (row) {
      const job = jobs[row.index].release.indexOf(release), i = job < 0 ? firstAfter(row, release) : row.job.indexOf(job);
      if (i >= 0 && i < row.n) { chosen = {row, i}; chosenRow = row; tell(row, i); reveal(row); }
    }
    const words = document.createElement('div');
    words.textContent = `Longest job of ${task.name}: released at ${exact(release)}, took ${exact(response)}.`;
    details.prepend(words);
    draw();
    if (quietly) return;
    unfold(section);
    section.scrollIntoView({block: 'start'});
    canvas.focus({preventScroll: true});
  }

  /** {row, i} under the mouse; i is −1 where there is no bar. */
  function at(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const row = rows[Math.floor((y - axisHeight) / rowHeight)];
    if (!row || y < axisHeight) return null;
    if (x < left) return {row, i: -1, named: true};
    const reach = time.invert(x + 2) - time.invert(x), moment = time.invert(x);
    if (row.kind === 'sm') return {row, i: -1, moment};
    let i = firstAfter(row, moment - reach);
    if (i + 1 < row.n && row.end[i] < moment && row.start[i + 1] <= moment) ++i;
    return {row, i: i < row.n && row.start[i] <= moment + reach ? i : -1};
  }
  canvas.addEventListener('click', event => {
    const hit = at(event);
    if (!hit) return;
    if (hit.named && hit.row.kind === 'task') return jump(hit.row.name);
    if (hit.i >= 0) return choose(hit.row, hit.i);
    chosenRow = hit.row;
    chosen = null;
    if (hit.moment !== undefined) details.textContent = residentWords(hit.row, hit.moment) + ` at ${exact(Math.round(hit.moment))}.`;
    drawSoon();
  });
  canvas.addEventListener('pointerdown', () => canvas.focus({preventScroll: true}));
  canvas.addEventListener('mousemove', event => {
    const hit = event.buttons ? null : at(event);
    canvas.title = '';
    if (!hit) return;
    if (hit.named) canvas.title = hit.row.name + (hit.row.kind === 'task' ? ': click for its longest job' : '');
    if (hit.moment !== undefined) canvas.title = residentWords(hit.row, hit.moment);
    if (hit.i < 0) return;
    const row = hit.row;
    canvas.title = `${nameOf(row.task[hit.i])}: ${wordsOf(row, hit.i)}\n${exact(row.start[hit.i])} to ${exact(row.end[hit.i])}, for ${exact(row.end[hit.i] - row.start[hit.i])}`;
    if (!chosen) tell(row, hit.i);
  });
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = rows.indexOf(chosenRow), [from, to] = time.domain();
    const actions = {
      ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), Home: () => show(0, to - from), End: () => show(end - (to - from), end),
      '+': () => zoomBy(2), '=': () => zoomBy(2), '-': () => zoomBy(0.5), 0: () => show(0, end),
      ArrowUp: () => chooseRow(rows[Math.max(0, row - 1)]), ArrowDown: () => chooseRow(rows[Math.min(rows.length - 1, row + 1)]),
      ',': () => { if (chosen && chosen.i > 0) choose(chosen.row, chosen.i - 1); },
      '.': () => { if (chosen && chosen.i + 1 < chosen.row.n) choose(chosen.row, chosen.i + 1); },
      Enter: () => {
        if (!chosen) return;
        const a = chosen.row.start[chosen.i], b = chosen.row.end[chosen.i];
        show(a - (b - a) * 0.2, b + (b - a) * 0.2);
      },
      l: () => { if (chosenRow && chosenRow.kind === 'task') jump(chosenRow.name); },
      Escape: () => { chosen = chosenRow = null; details.textContent = 'Nothing is selected.'; draw(); }
    };
    const action = actions[event.key === 'L' ? 'l' : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const centre = event => {
    const box = overview.getBoundingClientRect(), [from, to] = time.domain();
    const moment = (event.clientX - box.left - left) / (width - right - left) * end;
    show(moment - (to - from) / 2, moment + (to - from) / 2);
  };
  overview.addEventListener('pointerdown', centre);
  overview.addEventListener('pointermove', event => { if (event.buttons) centre(event); });

  const again = () => { layOut(); draw(); };
  window.addEventListener('resize', () => { if (!printing) again(); });
  prefersDark.addEventListener('change', draw);
  let closed = [];
  window.addEventListener('beforeprint', () => {
    printing = true;
    closed = Array.from(document.querySelectorAll('details:not([open]):not([data-print=closed])'));
    for (const details of closed) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));  // fills it now; the browser's own event comes after printing
    }
    again();
  });
  window.addEventListener('afterprint', () => {
    printing = false;
    for (const details of closed) details.open = false;
    again();
  });

  // Initially the longest job of a failing task, else some periods of all. Where jobs pile up, the first late one says
  // more than the last.
  layOut();
  const failing = tasks.filter(task => isFailing(task) && task.worst_release_ps !== null && !task.folded_into);
  const isDisturbed = task => task.contributions.some(part => part.kind !== 'execution' && part.kind !== 'memory');
  const telling = failing.find(task => isDisturbed(task) && task.verdict === 'missed') || failing[0];
  const period = d3.median(tasks.map(task => task.period_ps).filter(period => period > 0));
  if (telling) {
    const own = jobs[tasks.indexOf(telling)], limit = telling.deadline_ps || telling.period_ps || 0, most = Math.max(1e11, 2 * limit);
    jump(telling.name, true);
    const late = own.response.findIndex(response => response === null || response > limit);
    if (telling.simulated.max_ps > most && late >= 0) {
      const row = taskRows.find(one => one.index === tasks.indexOf(telling)), from = own.release[late] - most * 0.04;
      show(from, from + most, true);
      if (row) choose(row, row.job.indexOf(late));
      const words = document.createElement('div');
      words.textContent = `First late job of ${telling.name}; its longest one took ${exact(telling.simulated.max_ps)}.`;
      details.prepend(words);
      draw();
    }
  }
  else show(0, Math.min(end, Math.max(end / 1000, period ? period * 4 : end)));
  return {jump, uses};
})();
