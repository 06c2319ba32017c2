// SPDX-License-Identifier: Apache-2.0
// A field above the table of a page that can be filtered, which shows the rows that have all of its words. Links to the
// table show the rows with their words.
'use strict';
(() => {
  const table = document.querySelector('table.filtered');
  if (!table) return;
  const tools = document.createElement('p'), label = document.createElement('label'), field = document.createElement('input'), found = document.createElement('output');
  tools.className = 'tools';
  label.textContent = 'Filter ';
  field.type = 'search';
  found.className = 'soft';
  label.append(field);
  tools.append(label, found);
  table.parentNode.before(tools);
  const rows = Array.from(table.tBodies[0].rows);
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    found.textContent = words.length ? `${shown.toLocaleString('en')} of ${rows.length.toLocaleString('en')} rows` : '';
  };
  field.addEventListener('input', show);
  for (const choice of document.querySelectorAll('a[href="#models"]'))
    choice.addEventListener('click', () => { field.value = choice.textContent; show(); });
})();
