// SPDX-License-Identifier: Apache-2.0
// What the editor starts. All that knows timing is in the language server and the command.
import { commands, type ExtensionContext, languages, window, workspace } from "vscode";
import { language, Server } from "./server";
import { section } from "./settings";
import { Status } from "./status";

export async function activate(context: ExtensionContext) {
  const status = new Status();
  const server = new Server();
  let missing: string | undefined;

  const update = async (stale = false) => {
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== language) return status.hide();
    if (missing) return status.missing(missing);
    const version = document.version;
    const verdict = stale ? undefined : await server.verdict(document);
    if (document !== window.activeTextEditor?.document || version !== document.version) return;
    if (verdict) status.verdict(verdict);
    else status.none();
  };
  const start = async () => {
    missing = await server.start();
    await update();
  };

  context.subscriptions.push(
    status,
    server,
    commands.registerCommand("amalthea.restart", start),
    server.onAnalyzed(() => update()),
    window.onDidChangeActiveTextEditor(() => update()),
    languages.onDidChangeDiagnostics(() => update()),
    // What the status bar says is about the text before the edit.
    workspace.onDidChangeTextDocument((edit) => edit.document.languageId === language && update(true)),
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(section) && start()),
  );
  await start();
}
