// SPDX-License-Identifier: Apache-2.0
// Behind axe-core: its violations as JSON in #axe-test.
axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(' ')}`), String).then(words => {
  const result = document.createElement('pre');
  result.id = 'axe-test';
  result.textContent = JSON.stringify(words);
  document.body.appendChild(result);
});
