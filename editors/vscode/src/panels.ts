// SPDX-License-Identifier: Apache-2.0
// Pages beside the text: the report, an explanation, what would help. They show the model as it was when they were
// opened or the model was saved last, and say so while the text differs from that.
import { createHash } from "node:crypto";
import { ColorThemeKind, type Disposable, type TextDocument, type Uri, ViewColumn } from "vscode";
import { type WebviewPanel, window, workspace } from "vscode";
import type { Server } from "./server";
import { language } from "./settings";

export interface Request {
  command: "amalthea.explain" | "amalthea.plan" | "amalthea.report";
  uri: string; // as the server writes it
  name?: string; // of the task to explain
}

const escaped = (text: string) => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);

/// A page with nothing but text, in the style of the editor, which needs 'unsafe-inline'.
const page = (text: string) => `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size) }</style>
</head><body><pre>${escaped(text)}</pre></body></html>`;

/// A report is light or dark as the system is. Here it is as the editor is, by another condition in its style sheet,
/// whose hash its policy names.
function inTheme(report: string): string {
  const style = report.match(/<style>([^]*?)<\/style>/)?.[1] ?? "";
  const light = [ColorThemeKind.Light, ColorThemeKind.HighContrastLight].includes(window.activeColorTheme.kind);
  const themed = style.replaceAll("(prefers-color-scheme: dark)", light ? "(max-width: 0)" : "(min-width: 0)");
  const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
  return report.replace(style, () => themed).replace(hash(style), hash(themed));
}

export class Panels implements Disposable {
  private readonly open = new Map<string, Panel>();
  private readonly listeners: Disposable[];

  constructor(private readonly server: Server) {
    const each = (document: TextDocument, act: (panel: Panel) => void) => {
      if (document.languageId === language)
        for (const panel of this.open.values()) if (panel.concerns(document)) act(panel);
    };
    this.listeners = [
      window.onDidChangeActiveColorTheme(() => this.open.forEach((panel) => panel.render())),
      workspace.onDidSaveTextDocument((document) => each(document, (panel) => void panel.load())),
      workspace.onDidChangeTextDocument(
        (edit) => edit.contentChanges.length && each(edit.document, (panel) => panel.age()),
      ),
    ];
  }

  dispose() {
    for (const one of [...this.listeners, ...this.open.values()]) one.dispose();
  }

  async show(request: Request) {
    const key = JSON.stringify(request);
    let panel = this.open.get(key);
    if (!panel) {
      panel = new Panel(this.server, request, () => this.open.delete(key));
      this.open.set(key, panel);
    }
    await panel.load();
  }
}

class Panel implements Disposable {
  private readonly view: WebviewPanel;
  private readonly file: Uri;
  private readonly title: string;
  private html = page("…");
  private loads = 0;
  private disposed = false;

  constructor(private readonly server: Server, private readonly request: Request, closed: () => void) {
    this.file = server.local(request.uri);
    const name = this.file.path.split("/").pop();
    this.title = {
      "amalthea.explain": request.name ?? "",
      "amalthea.plan": `What helps ${name}`,
      "amalthea.report": `Report of ${name}`,
    }[request.command];
    // The page of a report has scripts, which its own policy names by their hashes.
    const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
    this.view = window.createWebviewPanel(request.command, this.title, place, {
      enableScripts: request.command === "amalthea.report",
      enableFindWidget: true,
      localResourceRoots: [],
    });
    this.render();
    this.view.onDidDispose(() => {
      this.disposed = true;
      closed();
    });
  }

  dispose() {
    this.view.dispose();
  }

  /// A model can have several files, which share a folder.
  concerns(document: TextDocument) {
    const folder = (uri: Uri) => uri.path.slice(0, uri.path.lastIndexOf("/"));
    return folder(document.uri) === folder(this.file);
  }

  /// The text differs from what the page is about.
  age() {
    this.view.title = `${this.title} (before the edit)`;
  }

  render() {
    this.view.webview.html = inTheme(this.html);
  }

  async load() {
    const load = ++this.loads;
    const { command, ...argument } = this.request;
    let html: string;
    try {
      const answer = await this.server.execute<{ html?: string; value?: string }>(command, argument);
      html = answer.html ?? page(answer.value ?? "");
    } catch (error) {
      html = page(error instanceof Error ? error.message : String(error));
    }
    if (this.disposed || load !== this.loads) return; // a later load follows
    this.view.title = this.title;
    this.html = html;
    this.render();
  }
}
