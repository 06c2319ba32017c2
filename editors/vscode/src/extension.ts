// SPDX-License-Identifier: Apache-2.0
// What the editor starts. All that knows timing is in the language server and the command.
import { commands, type DocumentSymbol, type ExtensionContext, languages, type TextDocument } from "vscode";
import { Uri, ViewColumn, window, workspace } from "vscode";
import { Panels, type Request } from "./panels";
import { Server } from "./server";
import { language, section } from "./settings";
import { Status } from "./status";
import { activeModel, analyze, annotate, convert, perfetto } from "./verbs";

/// Lets the user choose a task or an interrupt of the model.
async function chooseTask(document: TextDocument): Promise<string | undefined> {
  const symbols = await commands.executeCommand<DocumentSymbol[]>("vscode.executeDocumentSymbolProvider", document.uri);
  const all = (symbols ?? []).flatMap(function below(one): DocumentSymbol[] {
    return [one, ...(one.children ?? []).flatMap(below)];
  });
  const tasks = all.filter((one) => one.detail === "Task" || one.detail === "ISR");
  const items = tasks.map((one) => ({ label: one.name, description: one.detail }));
  return (await window.showQuickPick(items, { placeHolder: "The longest response time of …" }))?.label;
}

/// Beside the walkthrough, as a text that has no file yet.
async function openTutorial(extension: Uri) {
  const content = new TextDecoder().decode(await workspace.fs.readFile(Uri.joinPath(extension, "dist/tutorial.amxmi")));
  await window.showTextDocument(await workspace.openTextDocument({ language, content }), ViewColumn.Beside);
}

export async function activate(context: ExtensionContext) {
  const status = new Status();
  const server = new Server(context.extension);
  const panels = new Panels(server);
  let missing: string | undefined;

  const update = async (stale = false) => {
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== language) return status.hide();
    if (missing) return status.missing(missing);
    const version = document.version;
    const verdict = stale ? undefined : await server.verdict(document).catch(() => undefined);
    if (document !== window.activeTextEditor?.document || version !== document.version) return;
    if (verdict) status.verdict(verdict);
    else status.none();
  };
  let started = Promise.resolve();
  /// After the start before, if settings change quickly.
  const start = () =>
    (started = started.then(async () => {
      missing = await server.start().catch((error) => `${error}`);
      await update();
    }));

  const show = async (command: Request["command"]) => {
    const document = activeModel();
    if (!document) return;
    const uri = server.remote(document.uri);
    if (command !== "amalthea.explain") return panels.show({ command, uri });
    const name = await chooseTask(document);
    if (name) await panels.show({ command, uri, name });
  };

  context.subscriptions.push(
    status,
    panels,
    server,
    server.onLens((request) => panels.show(request)),
    commands.registerCommand("amalthea.restart", start),
    commands.registerCommand("amalthea.tutorial", () => openTutorial(context.extensionUri)),
    commands.registerCommand("amalthea.open.report", () => show("amalthea.report")),
    commands.registerCommand("amalthea.open.plan", () => show("amalthea.plan")),
    commands.registerCommand("amalthea.open.explanation", () => show("amalthea.explain")),
    ...Object.entries({ analyze, annotate, convert, perfetto }).map(([name, verb]) =>
      commands.registerCommand(`amalthea.run.${name}`, () =>
        verb(server).catch((error) => window.showErrorMessage(`${error}`)),
      ),
    ),
    server.onAnalyzed(() => update()),
    window.onDidChangeActiveTextEditor(() => update()),
    languages.onDidChangeDiagnostics(() => update()),
    // What the status bar says is about the text before the edit.
    workspace.onDidChangeTextDocument(
      (edit) => edit.contentChanges.length && edit.document.languageId === language && update(true),
    ),
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(section) && start()),
  );
  await start();
}
