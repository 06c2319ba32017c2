// SPDX-License-Identifier: Apache-2.0
// A client of vscode-jsonrpc, on which Visual Studio Code's own is built, holds the dialogue of tests/lsp/dialogue.json.
// node dialogue.js COMMAND MODEL FOLDER; FOLDER has the package. Prints the answers as one JSON object.
'use strict';
const {spawn} = require('node:child_process');
const {readFileSync} = require('node:fs');
const {join} = require('node:path');
const {pathToFileURL} = require('node:url');

const [command, model, folder] = process.argv.slice(2);
const rpc = require(join(folder, 'node_modules/vscode-jsonrpc/node'));

async function run() {
  const answers = {};
  const server = spawn(command, ['lsp', '--stdio', `--clientProcessId=${process.pid}`, '--delay', '1000'],
                       {stdio: ['pipe', 'pipe', 'inherit']});
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(server.stdout),
                                                 new rpc.StreamMessageWriter(server.stdin));
  connection.listen();
  const capabilities = {textDocument: {diagnostic: {}}};
  const begun = await connection.sendRequest('initialize', {processId: process.pid, rootUri: null, capabilities});
  answers.started = begun.serverInfo.name;
  await connection.sendNotification('initialized', {});
  const uri = pathToFileURL(model).href;
  const textDocument = {uri};
  const text = readFileSync(model, 'utf8');
  await connection.sendNotification('textDocument/didOpen',
                                    {textDocument: {uri, languageId: 'xml', version: 1, text}});
  const pull = (previousResultId) => connection.sendRequest('textDocument/diagnostic', {textDocument, previousResultId});
  const summary = (report) => report.kind === 'unchanged' ? report.kind :
                                                            [report.kind, ...report.items.map((one) => one.code)];
  const first = await pull();  // the answer follows the reading, so there are symbols then
  const symbols = await connection.sendRequest('workspace/symbol', {query: 'steer'});
  answers.symbols = symbols.map((one) => one.name).sort();
  answers.pulled = summary(first);
  answers['pulled again'] = summary(await pull(first.resultId));
  const edit = await connection.sendRequest('textDocument/rename',
                                            {textDocument, position: {line: 7, character: 50}, newName: 'Drive & go'});
  const plain = (written) => written.replaceAll('+', ' ').replaceAll('%26', '&').replaceAll('&amp;', '&');
  answers.rename = edit.changes[uri].sort((a, b) => a.range.start.line - b.range.start.line)
                       .map((one) => `${one.range.start.line} ${one.range.start.character} ` +
                                     `${one.range.end.character} ${plain(one.newText)}`);
  const explained = await connection.sendRequest('workspace/executeCommand',
                                                 {command: 'amalthea.explain', arguments: [{uri, name: 'Detection'}]});
  answers.explained = explained.value.match(/^[A-Za-z]+/)[0];
  const end = {line: text.split('\n').length - 1, character: 0};
  await connection.sendNotification('textDocument/didChange', {
    textDocument: {uri, version: 2},
    contentChanges: [{range: {start: end, end}, text: '<!-- later -->\n'}],
  });
  const source = new rpc.CancellationTokenSource();
  const cancelled = connection.sendRequest('textDocument/diagnostic', {textDocument}, source.token);
  source.cancel();
  answers.cancelled = await cancelled.then(() => 'a result', (error) => error.code);
  answers['pulled after the edit'] = summary(await pull());
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  answers['exit code'] = await ended;
  connection.dispose();
  console.log(JSON.stringify(answers));
}

run().catch((error) => {
  console.error(error);
  process.exit(1);
});
