// SPDX-License-Identifier: Apache-2.0
// Works with a report as a reader does and writes what it finds into the page, as JSON in #browser-test.
// It stands behind the page's own scripts, so that whatever was thrown there has been noted by page_errors.js, and does
// all at once, so that it is done when the page has loaded.
(function () {
'use strict';
const found = {errors: window.pageErrors, window_focused: document.hasFocus()};
const by = id => document.getElementById(id);
const numbers = () => ({from: +by('timeline').dataset.from, to: +by('timeline').dataset.to});
const text = id => by(id) ? by(id).textContent : null;
const press = key => by('timeline').dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true, cancelable: true}));
const inked = canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
  for (let i = 0; i < pixels.length; i += 4 * 97) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  return seen.size;
};

// Of text that is not part of a chart: how much its color differs from what is behind it, as WCAG 2 computes it.
const rgb = text => text.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map(one => one / 255).map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4).reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
function contrast(element) {
  let behind = element;
  while (behind.parentElement && rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(color => luminance(rgb(color))).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

function measure() {
  // Nothing is wider than the window, and only the picture of the graph may scroll.
  found.width = {window: window.innerWidth, page: document.documentElement.scrollWidth,
                 cut: Array.from(document.querySelectorAll('.wide:not(figure)')).filter(one => one.scrollWidth > one.clientWidth + 1).map(one => (one.closest('section') || one).id)};
}

function run() {
  // Below the first page all is folded; a link opens what it leads to.
  const folds = Array.from(document.querySelectorAll('main > section > details.fold'));
  found.folded = folds.filter(fold => !fold.open).length;
  if (folds.length) document.querySelector('#contents a[href="#tasks"]').click();
  found.unfolded = folds.filter(fold => fold.open).map(fold => fold.parentNode.id);
  for (const fold of folds) fold.open = true;

  // Each control can be reached by Tab, shows that it has the focus, and has a name.
  const controls = Array.from(document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')).filter(one => one.checkVisibility());
  found.controls = controls.length;
  found.focus_unseen = controls.filter(one => {
    one.focus();
    const style = getComputedStyle(one);
    return document.activeElement !== one || one.tabIndex < 0 || style.outlineStyle !== 'solid' || parseFloat(style.outlineWidth) < 3;
  }).map(one => one.outerHTML.slice(0, 80));
  found.nameless = controls.filter(one => !(one.getAttribute('aria-label') || one.textContent || (one.labels && one.labels.length))).length;
  document.activeElement.blur();
  scrollTo(0, 0);
  found.dark = matchMedia('(prefers-color-scheme: dark)').matches;
  found.unreadable = Array.from(document.querySelectorAll('body *:not(script):not(svg):not(svg *):not(.skip)')).filter(one => one.checkVisibility() && Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim()) && contrast(one) < 4.5).map(one => one.outerHTML.slice(0, 80));

  measure();
  if (!by('timeline')) {  // the page of a batch, or of differences
    const group = document.querySelector('a[href="#models"]');
    if (group) group.click();
    found.group = Array.from(document.querySelectorAll('.filtered tbody tr')).filter(row => row.checkVisibility()).map(row => row.textContent);
    return;
  }

  // The picture of the graph: the arrows of one task, and the table of what all of them mean.
  const links = Array.from(document.querySelectorAll('#graph .link')), arrows = by('arrows');
  if (arrows) {
    const shown = () => links.filter(link => getComputedStyle(link).opacity === '1').length;
    const choose = value => { arrows.value = value; arrows.dispatchEvent(new Event('change')); return shown(); };
    found.graph = {links: links.length, rows: document.querySelectorAll('#graph tbody tr').length, control: choose(' control'), planner: choose('Planner'), all: choose(''),
      first: document.querySelector('#graph tbody tr').textContent};
    const task = document.querySelector('#graph .task[data-task="DASM"]');
    if (task) {
      task.dispatchEvent(new MouseEvent('mouseenter'));
      found.graph.pointed = shown();
      task.dispatchEvent(new MouseEvent('mouseleave'));
      found.graph.left = shown();
    }
  }

  const drawn = performance.getEntriesByName('report-drawn')[0];
  found.drawn_ms = drawn ? drawn.startTime : null;
  found.title = document.title;
  found.sections = Array.from(document.querySelectorAll('main > section')).map(section => section.id);
  found.empty = found.sections.filter(id => (by(id).querySelector(':scope > .fold') || by(id)).children.length < 2);
  found.counts = {met: text('count-met'), missed: text('count-missed'), unbounded: text('count-unbounded')};
  found.sentence = text('sentence');
  found.tasks = {};
  for (const row of document.querySelectorAll('#tasks tbody tr[data-task]'))
    found.tasks[row.dataset.task] = Array.from(row.cells).slice(0, 10).map(cell => cell.textContent);
  found.unlabelled = document.querySelectorAll('th:not([scope])').length;
  found.comparison = by('comparison') ? by('comparison').textContent : null;
  found.cut = text('cut');
  found.runs = text('runs');
  found.injected = document.querySelectorAll('img').length + (window.injected ? 1 : 0);
  const canvas = by('timeline');
  found.colours = inked(canvas);
  found.first = numbers();

  // The longest job of every task, by its link in the table of tasks.
  found.jumps = {};
  for (const link of document.querySelectorAll('#tasks [data-jump]')) {
    link.click();
    const last = document.querySelector('#details [data-release]');
    found.jumps[link.dataset.jump] = {...numbers(), release: last ? +last.dataset.release : null, response: last && last.dataset.response ? +last.dataset.response : null};
  }
  found.focused = document.activeElement === canvas;

  // Before the chart is dragged: d3 suppresses clicks right after that. Each tile shows as many rows as it counts.
  const limitRows = () => Array.from(document.querySelectorAll('#limit-list tbody tr'));
  found.tiles = {};
  for (const button of document.querySelectorAll('#verdict .tiles button')) {
    const verdict = button.parentNode.id.replace('count-', '');
    button.click();
    const more = document.querySelector('#limit-list .more');
    if (more && !more.hidden) more.click();
    found.tiles[verdict] = {number: parseInt(button.querySelector('b').textContent.slice(2)), rows: limitRows().filter(row => row.dataset.verdict === verdict).length, all: limitRows().length, pressed: button.getAttribute('aria-pressed')};
    button.click();
  }

  // Sorting by the buttons in the head, ascending and descending, and the filter.
  const head = title => Array.from(document.querySelectorAll('#tasks thead th')).find(cell => cell.textContent === title);
  const column = title => Array.from(document.querySelectorAll('#tasks tbody tr[data-task]')).map(row => row.querySelector(`[data-label="${title}"]`).textContent);
  if (head('Period') && head('Period').firstElementChild) {
    const button = head('Period').querySelector('button'), before = column('Period');
    button.focus();
    found.sort_focus = document.activeElement === button;
    button.click();
    found.ascending = {order: head('Period').getAttribute('aria-sort'), values: column('Period')};
    button.click();
    found.descending = {order: head('Period').getAttribute('aria-sort'), values: column('Period')};
    button.click();
    found.restored = head('Period').getAttribute('aria-sort') === null && column('Period').join() === before.join();
  }
  const field = document.querySelector('#tasks input[type="search"]');
  if (field) {
    field.value = 'unbounded';
    field.dispatchEvent(new Event('input'));
    found.filtered = column('Verdict');
    field.value = '';
    field.dispatchEvent(new Event('input'));
  }
  found.what_ifs = Array.from(document.querySelectorAll('#what-if tbody tr')).map(row => row.textContent);
  found.units = Array.from(document.querySelectorAll('#architecture [data-unit]')).map(item => item.dataset.unit);
  found.steps = Array.from(document.querySelectorAll('#chains [data-chain]')).map(stack => stack.dataset.chain);
  found.over_time = document.querySelectorAll('#resources [data-over-time]').length;
  const scale = by('scale');
  found.deadlines = {};
  for (const name of scale ? ['deadline', 'time', 'own'] : []) {
    scale.value = name;
    scale.dispatchEvent(new Event('change'));
    found.deadlines[name] = Array.from(document.querySelectorAll('#bars svg > rect'), mark => mark.getAttribute('x'));
  }

  measure();
  const closed = () => document.querySelectorAll('details:not([open])').length, before_print = closed();
  window.dispatchEvent(new Event('beforeprint'));
  found.print_closed = closed();
  found.print_empty = Array.from(document.querySelectorAll('details')).filter(one => one.children.length < 2).length;
  window.dispatchEvent(new Event('afterprint'));
  found.print_undone = closed() === before_print;
  canvas.focus();

  press('0');
  found.all = numbers();
  press('+');
  found.zoomed = numbers();
  press('ArrowRight');
  found.moved = numbers();
  const box = canvas.getBoundingClientRect();
  const at = (kind, x, y, more) => new kind.type(kind.name, {clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, view: window, ...more});
  canvas.dispatchEvent(at({type: WheelEvent, name: 'wheel'}, box.width / 2, 60, {deltaY: -300}));
  found.wheeled = numbers();
  canvas.dispatchEvent(at({type: MouseEvent, name: 'mousedown'}, box.width / 2, 60, {button: 0}));
  window.dispatchEvent(at({type: MouseEvent, name: 'mousemove'}, box.width / 2 - 100, 60, {buttons: 1}));
  window.dispatchEvent(at({type: MouseEvent, name: 'mouseup'}, box.width / 2 - 100, 60, {button: 0}));
  found.dragged = numbers();

  // By keys: from row to row and from bar to bar, and a bar by a click.
  press('0');
  press('Escape');
  press('ArrowDown');
  press('.');
  found.details = by('details').textContent;
  press('Enter');
  const times = document.querySelector('#details [data-from]');
  found.bar = times ? {from: +times.dataset.from, to: +times.dataset.to, shown: numbers()} : null;
  press('Escape');
  const again = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new MouseEvent('click', {clientX: again.left + again.width / 2, clientY: again.top + 26 + 12, bubbles: true, view: window}));
  found.clicked = by('details').textContent;

  // How long it takes to draw all there is.
  press('0');
  const before = performance.now();
  press('Escape');  // draws
  found.redraw_ms = performance.now() - before;

  // Nothing can be fetched, and no text can become a script.
  const refused = act => { try { act(); return false; } catch (error) { return true; } };
  found.fetch_refused = refused(() => {
    const request = new XMLHttpRequest();
    request.open('GET', 'data:text/plain,x', false);
    request.send();
  });
  found.eval_refused = refused(() => new Function('return 1')());
}
try { run(); } catch (error) { found.errors.push(String(error && error.stack || error)); }
const result = document.createElement('pre');
result.id = 'browser-test';
result.textContent = JSON.stringify(found);
document.body.appendChild(result);
})();
