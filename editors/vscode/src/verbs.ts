// SPDX-License-Identifier: Apache-2.0
// Commands that run a verb on the saved files of the model: a table, or a file with results, another form or a trace.
import { basename, dirname, join } from "node:path";
import { commands, env, type TextDocument, Uri, window, workspace } from "vscode";
import type { Server } from "./server";
import { language, run } from "./settings";

/// The model in the active editor, or in any visible one, when a page beside it is active.
export function activeModel(): TextDocument | undefined {
  const editors = [...(window.activeTextEditor ? [window.activeTextEditor] : []), ...window.visibleTextEditors];
  const found = editors.find((editor) => editor.document.languageId === language)?.document;
  if (!found) void window.showErrorMessage("Open an .amxmi file first.");
  return found;
}

/// The files of the model, once they hold what the editor shows; nothing if the user does not want that.
async function savedFiles(server: Server, document: TextDocument): Promise<string[] | undefined> {
  if (document.isUntitled) throw new Error("Save the model as a file first.");
  const { paths } = await server.execute<{ paths: string[] }>("amalthea.files", { uri: server.remote(document.uri) });
  const isOfModel = (one: TextDocument) => one === document || paths.includes(one.fileName);
  const changed = workspace.textDocuments.filter((one) => one.isDirty && isOfModel(one));
  const save = "Save";
  if (changed.length && (await window.showWarningMessage("This reads saved files.", { modal: true }, save)) !== save)
    return undefined;
  for (const one of changed) if (!(await one.save())) return undefined;
  return paths;
}

/// Nothing was written where a verb says nothing and its code is not 0: a verdict prints.
const failed = ({ code, out }: { code: number | string; out: string }) => code !== 0 && out === "";

/// Runs a verb that writes a file, or files into a folder if the model has several, where the user says. `verb` returns
/// its arguments for the chosen place.
async function write(
  server: Server,
  ending: string,
  inFolder: boolean,
  verb: (target: string) => string[] | Promise<string[]>,
) {
  if (!workspace.isTrusted) {
    const manage = "Manage Trust";
    const why = "Commands that write files are off in a workspace that is not trusted.";
    const chosen = await window.showErrorMessage(why, manage);
    if (chosen === manage) await commands.executeCommand("workbench.trust.manage");
    return undefined;
  }
  const document = activeModel();
  const files = document && (await savedFiles(server, document));
  if (!files) return undefined;
  const defaultUri = Uri.file(join(dirname(files[0]), basename(files[0], ".amxmi") + ending));
  const target =
    inFolder && files.length > 1
      ? (await window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: "Write Here" }))?.[0]
      : await window.showSaveDialog({ defaultUri });
  const args = target && (await verb(target.fsPath));
  if (!args?.length) return undefined;
  const outcome = await run([...args, "-q", "--", ...files]);
  if (failed(outcome)) void window.showErrorMessage(outcome.err);
  return failed(outcome) ? undefined : target;
}

/// The tables of `amalthea analyze`.
export async function analyze(server: Server) {
  const document = activeModel();
  const files = document && (await savedFiles(server, document));
  if (!files) return;
  const { out, err } = await run(["analyze", "-q", "--", ...files]);
  await window.showTextDocument(await workspace.openTextDocument({ content: out || err }), { preview: true });
}

export async function annotate(server: Server) {
  const written = await write(server, "-annotated.amxmi", true, (target) => ["annotate", "-o", target]);
  if (written?.path.endsWith(".amxmi")) await window.showTextDocument(written);
}

/// The ending of the chosen file selects the form; a model needs a version.
export async function convert(server: Server) {
  const written = await write(server, "-converted.amxmi", true, async (target) => {
    if (/\.(json|dot|csv)$/.test(target)) return ["convert", "-o", target];
    const version = await window.showInputBox({ prompt: "AMALTHEA version, 0.7.0 to 3.3.0", value: "3.3.0" });
    return version ? ["convert", `--to=${version}`, "-o", target] : [];
  });
  if (written && /\.\w+$/.test(written.path)) await window.showTextDocument(written);
}

export async function perfetto(server: Server) {
  const written = await write(server, ".trace.json", false, (target) => ["analyze", "--trace", target]);
  if (!written) return;
  const open = "Open Perfetto";
  const what = `Drop ${basename(written.path)} into the page of Perfetto. It stays on your machine.`;
  const chosen = await window.showInformationMessage(what, open);
  if (chosen) await env.openExternal(Uri.parse("https://ui.perfetto.dev"));
}
