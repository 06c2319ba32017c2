// SPDX-License-Identifier: Apache-2.0
// What the pages share. Text from the model only ever becomes text nodes, never markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

// ---- small parts

const byId = id => document.getElementById(id);

/** Appends an element; attributes that are null are left out. */
function add(parent, name, attributes, text) {
  const node = document.createElement(name);
  for (const key in attributes) if (attributes[key] !== null) node.setAttribute(key, attributes[key]);
  if (text !== undefined && text !== null) node.textContent = text;
  parent.appendChild(node);
  return node;
}

function addSvg(parent, name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

/** Removes a section that has nothing to say. */
const remove = id => byId(id).remove();

const units = [[1e12, 's'], [1e9, 'ms'], [1e6, 'µs'], [1e3, 'ns'], [1, 'ps']];

/** In the unit of tables, with at most three digits after the point: "12.597 ms". What is too short for that, in its own. */
function exact(ps, round = Math.round) {
  if (ps === null || ps === undefined) return '–';
  if (ps === 0) return '0';
  const [size, unit] = Math.abs(ps) >= tableSize / 1000 ? [tableSize, tableUnit] : Math.abs(ps) >= 1e3 ? [1e3, 'ns'] : [1, 'ps'];
  return String(round(ps / size * 1000 - (round === Math.ceil ? 1e-9 : 0)) / 1000).replace('-', '−') + ' ' + unit;
}
/** Bounds are rounded up, as everywhere. */
const exactBound = ps => exact(ps, Math.ceil);
/** Times within a sentence of the analysis, and the distance of a bound from its limit as tables show it. */
function inUnit(text, bound = null, limit = null) {
  const digit = tableSize / 1000, distance = () => exact(Math.abs(limit - Math.ceil(bound / digit - 1e-6) * digit));
  if (bound !== null && limit !== null) text = text.replace(/^the bound, .+, is .+ (below|above) the /, (all, side) => `the bound, ${exactBound(bound)}, is ${distance()} ${side} the `);
  return text.replace(/\b(\d+(?:\.\d+)?) (s|ms|us)\b/g, (all, value, unit) => exact(value * {s: 1e12, ms: 1e9, us: 1e6}[unit]));
}

const jobsInWords = (ended, open) => ended.toLocaleString('en') + (open ? `, ${open.toLocaleString('en')} open` : '');
const counted = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many || one + 's');

const marks = {guaranteed: ['✓', 'good'], met: ['✓', 'good'], missed: ['✗', 'bad'], unbounded: ['∞', 'bad'], 'no deadline': ['–', 'soft'], unknown: ['?', 'warn'], 'not judged': ['?', 'warn'],
               ok: ['✓', 'good'], overloaded: ['✗', 'bad'], 'nearly full': ['!', 'warn'], error: ['✗', 'bad'], warning: ['!', 'warn'], note: ['i', 'soft']};
function addMark(parent, verdict) {
  const [symbol, style] = marks[verdict] || ['', ''];
  add(parent, 'span', {class: 'mark ' + style}, symbol + ' ' + verdict);
}

// ---- numbers of tables: one unit for all of them, three digits after the point

let tableSize = 1e9, tableUnit = 'ms';
function chooseTableUnit(largest) { [tableSize, tableUnit] = largest >= 1e9 ? [1e9, 'ms'] : [1e6, 'µs']; }
const inTable = ps => ps === null || ps === undefined ? '–' : (ps / tableSize).toFixed(3).replace('-', '−');
const boundInTable = ps => ps === null ? '–' : (Math.ceil(ps / tableSize * 1000 - 1e-9) / 1000).toFixed(3);
const timeCell = ps => ps === null ? '–' : inTable(ps) + ' ' + tableUnit;

// ---- tables

const severities = ['missed', 'unbounded', 'overloaded', 'error', 'unknown', 'not judged', 'nearly full', 'warning', 'met', 'ok', 'guaranteed', 'note', 'no deadline'];
const verdictColumn = (of = entry => entry.verdict, title = 'Verdict') =>
  ({title: title, key: entry => severities.indexOf(of(entry)), fill: (cell, entry) => addMark(cell, of(entry))});

/** What a cell is sorted by: its number, or its text; "–" has none. */
function sortKey(text, kind) {
  if (text === '–' || text === '') return null;
  if (kind !== 'number') return text.toLowerCase();
  const number = parseFloat(text.replace('−', '-').replace(/[,≤≥ ]/g, ''));
  return Number.isNaN(number) ? null : number;
}

/**
 * Columns: {title, kind?: 'number' | 'words' | 'chart' | 'row', key?(entry), fill(cell, entry)}; fill may return the
 * text, key a number or text to sort by (else it is the text of the cell). A table can be sorted by its headers and, if
 * it is not short, filtered by text. `most` rows are shown first. Returns a function that shows only the entries of a
 * predicate.
 */
function addTable(parent, caption, columns, entries, rowOf, most = Infinity) {
  const filterable = entries.length >= 10 && add(parent, 'p', {class: 'tools filter'});
  const wide = add(parent, 'div', {class: 'wide'});
  const table = add(wide, 'table', {role: 'table'});
  if (caption) add(table, 'caption', {}, caption);
  const head = add(add(table, 'thead', {role: 'rowgroup'}), 'tr', {role: 'row'});
  const body = add(table, 'tbody', {role: 'rowgroup'});
  const drawRow = entry => {
    const row = document.createElement('tr');
    row.setAttribute('role', 'row');
    if (rowOf) rowOf(row, entry);
    for (const column of columns) {
      const cell = column.kind === 'row' ? add(row, 'th', {scope: 'row', role: 'rowheader'}) : add(row, 'td', {class: column.kind || null, role: 'cell'});
      const text = column.fill(cell, entry);
      if (text !== undefined) cell.textContent = text;
      cell.dataset.label = column.title;
    }
    return row;
  };
  // A row is drawn when it is first needed: a table of thousands shows few.
  const rows = entries.map((entry, number) => ({entry, number, row: null, text: ''}));
  const drawn = one => {
    if (!one.row) one.text = (one.row = drawRow(one.entry)).textContent.toLowerCase();
    return one;
  };
  let sorted = null, words = '', wanted = () => true, shown = most;
  const more = add(parent, 'button', {type: 'button', class: 'more'});
  const draw = () => {
    const list = rows.filter(one => wanted(one.entry) && (!words || drawn(one).text.includes(words)));
    if (sorted) {
      const {index, down} = sorted, column = columns[index];
      const keys = new Map(list.map(one => [one, column.key ? column.key(one.entry) : sortKey(drawn(one).row.cells[index].textContent, column.kind)]));
      list.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        if (x === null || y === null) return (x === null) - (y === null) || a.number - b.number;  // nothing is last, always
        return (typeof x === 'number' ? x - y : x.localeCompare(y, 'en', {numeric: true})) * (down ? -1 : 1) || a.number - b.number;
      });
    }
    body.replaceChildren(...list.slice(0, shown).map(one => drawn(one).row));
    more.hidden = list.length <= shown;
    more.textContent = `Show all ${list.length.toLocaleString('en')} rows`;
    if (found) found.textContent = words || list.length < rows.length ? `${list.length.toLocaleString('en')} of ${counted(rows.length, 'row')}` : '';
  };
  more.addEventListener('click', () => { shown = Infinity; draw(); });
  columns.forEach((column, index) => {
    const cell = add(head, 'th', {scope: 'col', role: 'columnheader', class: column.kind || null});
    if (entries.length < 2 || (column.kind === 'chart' && !column.key)) return void (cell.textContent = column.title);
    const button = add(cell, 'button', {type: 'button', class: 'sort', title: 'Sort by this column'}, column.title);
    button.addEventListener('click', () => {
      const before = cell.getAttribute('aria-sort');
      for (const other of head.cells) other.removeAttribute('aria-sort');
      sorted = before === 'descending' ? null : {index, down: before === 'ascending'};
      if (sorted) cell.setAttribute('aria-sort', sorted.down ? 'descending' : 'ascending');
      draw();
    });
  });
  let found = null;
  if (filterable) {
    const field = add(add(filterable, 'label', {}, 'Filter '), 'input', {type: 'search', size: 16});
    found = add(filterable, 'output', {class: 'soft'});
    field.addEventListener('input', () => { words = field.value.trim().toLowerCase(); draw(); });
  }
  draw();
  // What still does not fit scrolls, by keyboard too.
  new ResizeObserver(() => {
    if (wide.scrollWidth > wide.clientWidth + 1)
      for (const [name, value] of [['tabindex', '0'], ['role', 'region'], ['aria-label', (caption || parent.querySelector('h2, h3, summary').textContent) + ' (scrolls)']]) wide.setAttribute(name, value);
    else for (const name of ['tabindex', 'role', 'aria-label']) wide.removeAttribute(name);
  }).observe(wide);
  return predicate => { wanted = predicate; shown = most; draw(); };
}

/** A drawing that shrinks with its place. */
function addChart(parent, width, height, words) {
  const svg = addSvg(parent, 'svg', {class: 'chart', width: width, height: height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words});
  addSvg(svg, 'title', {}, words);
  return svg;
}

/**
 * A bar with its label: parts {ps, paint: [color, hatch], words, text?} beside each other, 100 % wide at `top`. What is
 * longer is cut, with a note; `marks` are instants. `room`: pixels of the whole width, for texts.
 */
function addStack(parent, label, parts, top, marks, room, total) {
  add(parent, 'span', {class: 'label'}, label);
  const whole = d3.sum(parts, part => part.ps), place = add(parent, 'div', {class: 'bar'});
  const svg = addSvg(place, 'svg', {class: 'chart', height: 24, width: '100%', role: 'img', 'aria-label': `${label} ${exact(whole)}: ${parts.map(part => part.words).join(', ')}`});
  // No text below what states the total of a bar that is cut off.
  const cut = whole > top * 1.0001 ? `${total || exact(whole)} ▸` : '', free = cut ? top * (1 - (cut.length * 6.6 + 14) / room) : top;
  let at = 0;
  for (const part of parts) {
    const [colour, hatch] = part.paint, from = Math.min(at, top), to = Math.min(at + part.ps, top);
    at += part.ps;
    if (from >= to) continue;
    const group = addSvg(svg, 'g', {});
    addSvg(group, 'title', {}, part.words);
    addSvg(group, 'rect', {x: 100 * from / top + '%', y: 2, width: 100 * (to - from) / top + '%', height: 20, fill: svgPaint(colour, hatch), stroke: 'var(--page)', 'stroke-width': 1});
    const visible = Math.min(to, free), size = (visible - from) / top * room, text = [part.words, part.text, exact(part.ps)].find(one => one && one.length * 6.6 + 8 < size);
    if (!text) continue;
    const middle = 50 * (from + visible) / top + '%';
    if (hatch) addSvg(group, 'rect', {x: middle, y: 5, width: text.length * 6.4 + 4, height: 14, fill: '#ffffff', transform: `translate(${-(text.length * 6.4 + 4) / 2} 0)`, rx: 3});
    addSvg(group, 'text', {x: middle, y: 16, 'text-anchor': 'middle', 'aria-hidden': 'true'}, text).style.fill = hatch ? '#000000' : inkOn(colour);
  }
  for (const mark of marks) if (mark <= top) addSvg(svg, 'rect', {x: 100 * mark / top + '%', y: 0, width: 2.5, height: 24, fill: 'var(--text)', transform: 'translate(-1.2 0)'});
  if (cut) add(place, 'span', {class: 'cut'}, cut);
}

/** Names and values below each other; returns what adds one. */
function addFacts(parent) {
  const facts = add(parent, 'dl', {class: 'facts'});
  return (name, value, code) => {
    if (!value) return;
    add(facts, 'dt', {}, name);
    add(add(facts, 'dd', {}), code ? 'code' : 'span', {}, value);
  };
}

/** A number with words; one that can be chosen is a button. */
function addTile(tiles, number, words, style, id, choose) {
  const item = add(tiles, 'li', {id: id});
  const inside = choose ? add(item, 'button', {type: 'button', 'aria-pressed': 'false'}) : item;
  add(inside, 'b', {class: style}, number);
  add(inside, 'span', {}, words);
  if (choose) inside.addEventListener('click', () => choose(inside));
}

// ---- colors and patterns

const light = {text: '#16191d', soft: '#545c66', line: '#d4d8de', strong: '#8a929c', page: '#ffffff', band: '#f6f7f9', ink: '#000000', bad: '#a83f00'};
const dark = {text: '#e7eaee', soft: '#a4adb8', line: '#353b43', strong: '#77808b', page: '#14171b', band: '#1d2126', ink: '#ffffff', bad: '#ff9d66'};
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const theme = () => prefersDark.matches && !printing ? dark : light;

const okabeIto = ['#56B4E9', '#E69F00', '#009E73', '#F0E442', '#CC79A7', '#D55E00', '#0072B2', '#BBBBBB'];
const inkOn = colour => colour === '#0072B2' || colour === '#D55E00' ? '#ffffff' : '#000000';

// Lines over a color, on a tile of 8 × 8.
const hatches = {
  rising: [[0, 8, 8, 0]], falling: [[0, 0, 8, 8]], upright: [[4, 0, 4, 8]], level: [[0, 4, 8, 4]],
  crossed: [[0, 8, 8, 0], [0, 0, 8, 8]], grid: [[4, 0, 4, 8], [0, 4, 8, 4]]
};
const kinds = {
  execution: ['#0072B2', null, 'own execution'],
  memory: ['#0072B2', 'level', 'own memory accesses'],
  copy: ['#56B4E9', null, 'own copies'],
  kernel: ['#009E73', null, 'own kernels'],
  preemption: ['#D55E00', 'rising', 'core used by others'],
  blocking: ['#D55E00', 'crossed', 'blocked by lower priority'],
  backlog: ['#CC79A7', 'upright', 'own earlier jobs'],
  event: ['#F0E442', 'level', 'waiting for an event'],
  budget: ['#BBBBBB', 'upright', 'server budget exhausted'],
  engine_slice: ['#E69F00', 'falling', 'GPU used by others'],
  engine_queue: ['#E69F00', 'grid', 'behind others in the same GPU context'],
  context_switch: ['#F0E442', 'crossed', 'GPU context switches'],
  interference: ['#CC79A7', 'rising', 'slowed by memory traffic of others']
};
/** As the command's text says it. */
function aggressor(by, traffic) {
  if (traffic === 'cpu') {
    const task = tasks.find(one => one.name === by);
    return `CPU traffic of ${by}` + (task ? ` on ${task.core}` : '');
  }
  return traffic ? `${traffic} of ${by}` : by;
}
function describe(kind, by, traffic) {
  if (!by && ['preemption', 'engine_slice', 'engine_queue', 'interference'].includes(kind)) by = 'others';
  switch (kind) {
    case 'execution': return 'own execution';
    case 'memory': return 'own memory accesses';
    case 'preemption': return 'core used by ' + by;
    case 'blocking': return by ? 'blocked by ' + by + ' (lower or equal priority)' : 'blocked';
    case 'budget': return 'server budget exhausted';
    case 'backlog': return 'own earlier jobs';
    case 'event': return 'waiting for an event' + (by ? ' of ' + by : '');
    case 'copy': return 'copies';
    case 'kernel': return 'kernels';
    case 'engine_slice': return 'GPU used by ' + by;
    case 'engine_queue': return 'behind ' + by + ' in the same GPU context';
    case 'context_switch': return by ? 'GPU turning to ' + by : 'GPU context switches';
    case 'interference': return 'slowed by ' + aggressor(by, traffic);
  }
  return kind;
}

const definitions = addSvg(addSvg(document.body, 'svg', {width: 0, height: 0, 'aria-hidden': 'true', class: 'definitions'}), 'defs', {});
const svgPaints = {};
/** What fills an SVG shape. */
function svgPaint(colour, hatch) {
  if (!hatch) return colour;
  const id = 'paint-' + colour.slice(1) + '-' + hatch;
  if (!svgPaints[id]) {
    svgPaints[id] = true;
    const pattern = addSvg(definitions, 'pattern', {id: id, width: 8, height: 8, patternUnits: 'userSpaceOnUse'});
    if (colour !== '#none') addSvg(pattern, 'rect', {width: 8, height: 8, fill: colour});
    for (const [x1, y1, x2, y2] of hatches[hatch])
      addSvg(pattern, 'path', {d: `M${x1} ${y1}L${x2} ${y2}`, stroke: colour === '#none' ? '#808890' : '#000000', 'stroke-opacity': 0.55, 'stroke-width': 1.4});
  }
  return 'url(#' + id + ')';
}
const canvasPaints = {};
function canvasPaint(context, colour, hatch) {
  if (!hatch) return colour;
  const id = colour + hatch;
  if (!canvasPaints[id]) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const drawing = tile.getContext('2d');
    drawing.fillStyle = colour;
    drawing.fillRect(0, 0, 8, 8);
    drawing.strokeStyle = 'rgba(0, 0, 0, 0.5)';
    drawing.lineWidth = 1.3;
    drawing.beginPath();
    for (const [x1, y1, x2, y2] of hatches[hatch]) { drawing.moveTo(x1, y1); drawing.lineTo(x2, y2); }
    drawing.stroke();
    canvasPaints[id] = context.createPattern(tile, 'repeat');
  }
  return canvasPaints[id];
}
function addLegend(parent, label, entries) {
  const list = add(parent, 'ul', {class: 'legend', 'aria-label': label});
  for (const [colour, hatch, words] of entries) {
    const item = add(list, 'li', {});
    const swatch = addSvg(item, 'svg', {width: 24, height: 14, 'aria-hidden': 'true'});
    addSvg(swatch, 'rect', {width: 24, height: 14, fill: svgPaint(colour, hatch), stroke: '#808890', 'stroke-width': 1});
    add(item, 'span', {}, words);
  }
  return list;
}

// ---- tasks

const isFailing = task => task.verdict === 'missed' || task.verdict === 'unbounded';
const functionOf = task => task.folded_into ? tasks.find(other => other.name === task.folded_into) || task : task;

function addJump(parent, task, words) {
  if (!functionOf(task).worst_release_ps && functionOf(task).worst_release_ps !== 0) return;
  const button = add(parent, 'button', {type: 'button', class: 'link'}, words || task.name);
  button.dataset.jump = task.name;
  button.title = 'Show its longest job in the schedule';
  button.addEventListener('click', () => gantt.jump(task.name));
}

/** Each task has its own color and pattern. */
function taskPaint(task) {
  const number = tasks[task].paint === undefined ? task : tasks[task].paint;
  return [okabeIto[number % 8], [null, 'rising', 'falling', 'upright', 'level', 'crossed'][Math.floor(number / 8) % 6]];
}

function percent(share) { return share === null || share === undefined ? '–' : (share * 100).toFixed(1) + ' %'; }

// ---- findings

function addFindings(findings) {
  const section = byId('findings'), order = {error: 0, warning: 1, note: 2};
  const list = findings.slice().sort((a, b) => order[a.severity] - order[b.severity]);
  if (!list.length) return void add(section, 'p', {}, 'No findings.');
  const counts = ['error', 'warning', 'note'].map(severity => [severity, list.filter(entry => entry.severity === severity).length]).filter(([, n]) => n);
  add(section, 'p', {class: 'soft'}, counts.map(([severity, n]) => counted(n, severity)).join(', ') + '.');
  addTable(section, null, [
    verdictColumn(entry => entry.severity, 'Severity'),
    {title: 'Id', fill: (cell, entry) => entry.rule},
    {title: 'Finding', kind: 'words', fill: (cell, entry) => entry.message},
    {title: 'Location', kind: 'words', fill: (cell, entry) => { add(cell, 'code', {}, [entry.file, entry.line, entry.column].filter(part => part !== null).join(':') || '–'); }}
  ], list, null, 200);
}

/** After the last section. What stands below the first page is folded. */
function finish() {
  for (const section of document.querySelectorAll('main > section')) {
    const title = section.querySelector('h2');
    add(byId('contents'), 'a', {href: '#' + section.id}, title.textContent);
    if (section.id === 'verdict') continue;
    const fold = document.createElement('details');
    fold.className = 'fold';
    add(fold, 'summary').append(title);
    fold.append(...section.childNodes);
    section.append(fold);
    fold.addEventListener('toggle', () => window.dispatchEvent(new Event('resize')));
  }
  document.addEventListener('click', event => {
    const link = event.target.closest('a[href^="#"]');
    if (link) unfold(byId(link.hash.slice(1)));
  });
  window.performance.mark('report-drawn');
}
function unfold(section) {
  const fold = section && section.querySelector(':scope > details.fold');
  if (fold) fold.open = true;
}
