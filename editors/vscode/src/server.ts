// SPDX-License-Identifier: Apache-2.0
// The language server `amalthea lsp`: starts it, ends it, and asks it for the verdict.
import { commands, type Disposable, EventEmitter, type Extension, type TextDocument, Uri, window } from "vscode";
import { CodeLensRequest, ExecuteCommandRequest, HoverRequest, LanguageClient } from "vscode-languageclient/node";
import type { Request } from "./panels";
import { commandPath, language, optionsFor, run, section, workingFolder } from "./settings";

export class Server implements Disposable {
  private client?: LanguageClient;

  constructor(private readonly extension: Extension<unknown>) {}

  private readonly analyzed = new EventEmitter<void>();
  /// An analysis has ended, or the server has.
  readonly onAnalyzed = this.analyzed.event;
  private readonly chosen = new EventEmitter<Request>();
  /// The user has chosen a lens.
  readonly onLens = this.chosen.event;

  /// Returns why the server does not run, or nothing.
  async start(): Promise<string | undefined> {
    await this.stop();
    const command = commandPath();
    const args = ["lsp", ...optionsFor(this.extension)];
    // Without input, a server ends with code 1 at once.
    const probe = await run(args, 10_000);
    if (probe.code !== 1) {
      const isAbsent = probe.code === "ENOENT";
      const why = isAbsent ? `There is no command "${command}".` : `"${command} lsp": ${probe.err || probe.code}`;
      void this.offerHelp(why);
      return why;
    }
    this.client = new LanguageClient(
      section,
      "AMALTHEA",
      { command, args, options: { cwd: workingFolder } },
      {
        documentSelector: [{ language, scheme: "file" }, { language, scheme: "untitled" }],
        initializationOptions: { lensCommand: true },
        middleware: {
          executeCommand: (command, args, next) =>
            command === "amalthea.explain" ? this.chosen.fire({ command, ...args[0] }) : next(command, args),
          // Those of chains have no command; the report shows chains.
          provideCodeLenses: async (document, token, next) => {
            const lenses = await next(document, token);
            for (const lens of lenses ?? []) if (lens.command) lens.command.command ||= "amalthea.open.report";
            return lenses;
          },
          // The options say it all. The server would also take settings that the extension does not know, and that a
          // workspace could have, trusted or not.
          workspace: {
            configuration: (params) => params.items.map(() => null),
            didChangeConfiguration: async () => undefined,
          },
        },
      },
    );
    this.client.onDidChangeState(() => this.analyzed.fire());
    await this.client.start();
    return undefined;
  }

  /// Also one that has not started, which cannot be stopped.
  async stop() {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch(() => undefined);
  }

  dispose() {
    void this.stop();
  }

  async execute<Answer>(command: string, argument: object): Promise<Answer> {
    if (!this.client) throw new Error("The language server does not run.");
    return this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }) as Promise<Answer>;
  }

  /// How the server writes the name of a document.
  remote(uri: Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  local(uri: string): Uri {
    return this.client?.protocol2CodeConverter.asUri(uri) ?? Uri.parse(uri);
  }

  /// The verdict on the model that the document belongs to, such as "Verdict: met"; nothing while there is none.
  async verdict(document: TextDocument): Promise<string | undefined> {
    const root = document.getText().search(/<[\w.-]+:\w+\s[^<>]*xmlns/);
    if (!this.client?.isRunning() || root < 0) return undefined;
    this.follow(document);
    const { line, character } = document.positionAt(root + 1);
    const hover = await this.client.sendRequest(HoverRequest.type, {
      textDocument: { uri: this.remote(document.uri) },
      position: { line, character },
    });
    const text = hover && typeof hover.contents === "object" && "value" in hover.contents ? hover.contents.value : "";
    return text.replace(/\\(.)/g, "$1").match(/^Verdict: .*$/m)?.[0];
  }

  /// The server announces new lenses at the end of each analysis, whether the editor shows lenses or not.
  private followed?: LanguageClient;
  private follow(document: TextDocument) {
    const lenses = this.client?.getFeature(CodeLensRequest.method).getProvider(document);
    if (!lenses || this.followed === this.client) return;
    lenses.onDidChangeCodeLensEmitter.event(() => this.analyzed.fire());
    this.followed = this.client;
  }

  private async offerHelp(why: string) {
    const help = "How to Get It", settings = "Set Its Path";
    const chosen = await window.showErrorMessage(`${why} The timing of models needs it.`, help, settings);
    const walkthrough = `${this.extension.id}#start`;
    if (chosen === help) await commands.executeCommand("workbench.action.openWalkthrough", walkthrough);
    if (chosen === settings) await commands.executeCommand("workbench.action.openSettings", "amalthea.path");
  }
}
