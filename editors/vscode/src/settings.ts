// SPDX-License-Identifier: Apache-2.0
// What the user has set. The keys of `amalthea.option` are names of options of the command.
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { type Extension, workspace } from "vscode";

export const section = "amalthea";
export const language = "amxmi";

export function commandPath(): string {
  return workspace.getConfiguration(section).get<string>("path") || "amalthea";
}

/// Where the command starts: not in a workspace, which could hold a program of the same name.
export const workingFolder = homedir();

/// What the command takes for `amalthea.option.NAME`: settings that differ from their defaults. The extension's own
/// list of settings names them, so that a workspace cannot add options.
export function optionsFor(extension: Extension<unknown>): string[] {
  const groups: { properties: object }[] = extension.packageJSON.contributes.configuration;
  const prefix = `${section}.option.`;
  const names = groups.flatMap((group) => Object.keys(group.properties)).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => {
    const value = workspace.getConfiguration().get(name);
    if (JSON.stringify(value) === JSON.stringify(workspace.getConfiguration().inspect(name)?.defaultValue)) return [];
    const option = `--${name.slice(prefix.length)}`;
    if (typeof value === "boolean") return value ? [option] : [];
    return [value].flat().map((one) => `${option}=${one}`);
  });
}

export interface Outcome {
  code: number | string; // a word such as ENOENT: the command did not start
  out: string;
  err: string;
}

/// Runs the command without a shell and without input.
export async function run(args: string[], timeout = 0): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd: workingFolder, maxBuffer: 1 << 28, timeout };
    const child = execFile(commandPath(), args, options, (error, out, err) => {
      const code = error?.killed ? "ETIMEDOUT" : (error?.code ?? 0);
      resolve({ code, out, err: err.trim() || (typeof code === "string" ? `${error?.message}` : "") });
    });
    child.stdin?.on("error", () => undefined).end();
  });
}
