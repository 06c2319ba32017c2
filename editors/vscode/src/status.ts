// SPDX-License-Identifier: Apache-2.0
// The verdict on the model of the active editor, in the status bar.
import { type Disposable, StatusBarAlignment, ThemeColor, window } from "vscode";

const icons: Record<string, string> = { guaranteed: "pass", met: "pass", missed: "error", unbounded: "error" };

export class Status implements Disposable {
  private readonly item = window.createStatusBarItem("amalthea.verdict", StatusBarAlignment.Left);

  constructor() {
    this.item.name = "AMALTHEA verdict";
  }

  dispose() {
    this.item.dispose();
  }

  hide() {
    this.item.hide();
  }

  /// `line` as the server states it, such as "Verdict: missed. 1 missed: Detection".
  verdict(line: string) {
    const [, words, word] = line.match(/^Verdict: (([a-z]+)[^.]*)/) ?? ["", "unknown", "unknown"];
    const icon = icons[word] ?? "question";
    this.show(`$(${icon}) ${words}`, line, icon === "error", "amalthea.open.report");
  }

  none() {
    this.show("$(circle-outline) no verdict", "The analysis has not ended, or Problems says why there is none.", false);
  }

  missing(why: string) {
    this.show("$(warning) amalthea", why, true, "amalthea.restart");
  }

  private show(text: string, tooltip: string, bad: boolean, command?: string) {
    Object.assign(this.item, { text, tooltip, command });
    this.item.backgroundColor = bad ? new ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.show();
  }
}
