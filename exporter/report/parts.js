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

/** All digits, in the unit that suits: "12.597077 ms". */
function exact(ps) {
  if (ps === null || ps === undefined) return '–';
  if (ps === 0) return '0';
  const [size, unit] = units.find(([size]) => Math.abs(ps) >= size) || units[4];
  let text = (ps / size).toFixed(Math.log10(size));
  if (text.includes('.')) text = text.replace(/\.?0+$/, '');
  return text.replace('-', '−') + ' ' + unit;
}

/** Four digits or so: "96.05 ms". */
function brief(ps) {
  if (ps === 0) return '0';
  const [size, unit] = units.find(([size]) => Math.abs(ps) >= size) || units[4];
  const value = ps / size;
  return value.toFixed(Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3).replace('-', '−') + ' ' + unit;
}

const counted = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many || one + 's');

const marks = {guaranteed: ['✓', 'good'], met: ['✓', 'good'], missed: ['✗', 'bad'], unbounded: ['∞', 'bad'], 'no deadline': ['–', 'soft'], unknown: ['?', 'warn'],
               ok: ['✓', 'good'], overloaded: ['✗', 'bad'], error: ['✗', 'bad'], warning: ['!', 'warn'], note: ['i', 'soft']};
function addMark(parent, verdict) {
  const [symbol, style] = marks[verdict] || ['', ''];
  add(parent, 'span', {class: 'mark ' + style}, symbol + ' ' + verdict);
}

/** Columns: {title, kind?: 'number' | 'words' | 'chart' | 'row', fill(cell, entry)}; fill may return the text. */
function addTable(parent, caption, columns, entries, rowOf) {
  const wide = add(parent, 'div', {class: 'wide'});
  const table = add(wide, 'table', {});
  if (caption) add(table, 'caption', {}, caption);
  const head = add(add(table, 'thead', {}), 'tr', {});
  for (const column of columns)
    add(head, 'th', {scope: 'col', class: column.kind || null}, column.title);
  const body = add(table, 'tbody', {});
  for (const entry of entries) {
    const row = add(body, 'tr', {});
    if (rowOf) rowOf(row, entry);
    for (const column of columns) {
      const cell = column.kind === 'row' ? add(row, 'th', {scope: 'row'}) : add(row, 'td', {class: column.kind || null});
      const text = column.fill(cell, entry);
      if (text !== undefined) cell.textContent = text;
    }
  }
  return table;
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

function percent(share) { return share === null || share === undefined ? '–' : (share * 100).toFixed(1) + ' %'; }

// ---- findings

function addFindings(findings) {
  const section = byId('findings'), order = {error: 0, warning: 1, note: 2};
  const list = findings.slice().sort((a, b) => order[a.severity] - order[b.severity]);
  if (!list.length) return void add(section, 'p', {}, 'No findings.');
  const counts = ['error', 'warning', 'note'].map(severity => [severity, list.filter(entry => entry.severity === severity).length]).filter(([, n]) => n);
  add(section, 'p', {class: 'soft'}, counts.map(([severity, n]) => counted(n, severity)).join(', ') + '.');
  const columns = [
    {title: 'Severity', fill: (cell, entry) => addMark(cell, entry.severity)},
    {title: 'Id', fill: (cell, entry) => entry.rule},
    {title: 'Finding', kind: 'words', fill: (cell, entry) => entry.message},
    {title: 'Location', kind: 'words', fill: (cell, entry) => { add(cell, 'code', {}, [entry.file, entry.line, entry.column].filter(part => part !== null).join(':') || '–'); }}
  ];
  addTable(section, null, columns, list.slice(0, 200));
  if (list.length <= 200) return;
  const details = add(section, 'details', {});
  add(details, 'summary', {}, counted(list.length - 200, 'more finding'));
  details.addEventListener('toggle', () => addTable(details, null, columns, list.slice(200)), {once: true});
}

/** After the last section. */
function finish() {
  for (const section of document.querySelectorAll('main > section'))
    add(byId('contents'), 'a', {href: '#' + section.id}, section.querySelector('h2').textContent);
  window.performance.mark('report-drawn');
}
