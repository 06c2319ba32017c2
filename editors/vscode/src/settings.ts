// SPDX-License-Identifier: Apache-2.0
// What the user has set. The keys of `amalthea.option` are names of options of the command.
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { workspace } from "vscode";

export const section = "amalthea";
export const language = "amxmi";

export function commandPath(): string {
  return workspace.getConfiguration(section).get<string>("path") || "amalthea";
}

/// Where the command starts: not in a workspace, which could hold a program of the same name.
export const workingFolder = homedir();

/// Ends with what the command printed, or with why it could not start.
export async function run(args: string[]): Promise<{ code: number | string; out: string; err: string }> {
  return new Promise((resolve) =>
    execFile(commandPath(), args, { cwd: workingFolder, maxBuffer: 1 << 28 }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err: err || (error && typeof error.code !== "number" ? error.message : "") }),
    ),
  );
}
