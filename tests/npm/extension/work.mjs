// SPDX-License-Identifier: Apache-2.0
// Works with the extension in a browser, as a user does. Waits for what the page shows, never for a time.
// The environment has the address of code-server, the command, the browser, and folders. SHOTS is for pictures of what
// failed, PICTURES for those of the documentation, and ONLY is part of the names of what to do.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { ADDRESS, AMALTHEA, BROWSER, ONLY, PICTURES, PLAYWRIGHT, SAMPLES, SCRATCH, SHOTS } = process.env;
const { chromium } = createRequire(PLAYWRIGHT + "/")("playwright-core");
const patience = 60_000; // ms; nothing takes as long

/// Settings of the user and of the machine; the next page begins with them.
function set(user, machine = { "amalthea.path": AMALTHEA }) {
  const write = (folder, settings) => {
    mkdirSync(`${SCRATCH}/user/${folder}`, { recursive: true });
    writeFileSync(`${SCRATCH}/user/${folder}/settings.json`, JSON.stringify(settings));
  };
  const usual = { "editor.minimap.enabled": false, "workbench.startupEditor": "none" };
  write("User", { ...usual, "security.workspace.trust.enabled": false, ...user });
  write("Machine", machine);
}

/// A folder with copies of samples; `change` gets and returns the text of the first one.
function folderOf(name, samples, change = (text) => text) {
  const folder = `${SCRATCH}/${name}`;
  mkdirSync(folder);
  for (const sample of samples) cpSync(`${SAMPLES}/${sample}`, `${folder}/${sample.split("/").pop()}`);
  const first = `${folder}/${samples[0].split("/").pop()}`;
  writeFileSync(first, change(readFileSync(first, "utf8")));
  return { folder, file: first };
}

const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });

/// A page with the file open: in the folder, or without a workspace.
async function open(file, folder) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  page.setDefaultTimeout(patience);
  const payload = JSON.stringify([["openFile", `vscode-remote://${new URL(ADDRESS).host}${file}`]]);
  const query = new URLSearchParams(folder ? { folder, payload } : { ew: "true", payload });
  await page.goto(`${ADDRESS}?${query}`);
  await page.locator(".monaco-editor .view-line").first().waitFor();
  if (PICTURES) await repeat(page.locator(".monaco-workbench.nosidebar"), () => page.keyboard.press("Control+B"));
  return page;
}

/// Waits for what the page does not show.
async function until(holds) {
  for (const begin = Date.now(); !(await holds()); await new Promise((next) => setTimeout(next, 50)))
    if (Date.now() - begin > patience) throw new Error(`waited in vain for ${holds}`);
}

/// Does something until `shown` appears: the editor may not be ready for a key.
async function repeat(shown, something) {
  for (const begin = Date.now(); Date.now() - begin < patience;) {
    await something();
    if (await shown.waitFor({ timeout: 2000 }).then(() => true, () => false)) return;
  }
  await shown.waitFor({ timeout: 1 });
}

const verdict = (page, text) =>
  page.locator("[id='amalthea-timing.amalthea-timing.amalthea.verdict']", { hasText: text }).waitFor();
/// A row of the panel Problems.
const problem = (page, text) => page.locator(".markers-panel .monaco-list-row", { hasText: text });
const lens = (page, text) => page.locator(".codelens-decoration", { hasText: text });
/// What a page beside the text shows.
const beside = (page, text) =>
  page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").locator("body", { hasText: text });
const tab = (page, text) => page.locator(".tab .label-name", { hasText: text });
async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}
const input = (page) => page.locator(".quick-input-box input");
/// Answers the dialog that asks for a file, where it proposes `path`, or for a folder.
async function choose(page, path) {
  const button = page.locator(".quick-input-widget .monaco-button:visible", { hasText: /OK|Save|Write Here/ });
  await button.waitFor();
  const proposed = () => input(page).inputValue();
  if (path.endsWith("/")) {
    await until(async () => (await proposed()).endsWith("/"));
    await input(page).fill(path);
  }
  await until(async () => (await proposed()) === path);
  await button.click();
}
async function command(page, name) {
  await repeat(input(page), () => page.keyboard.press("F1"));
  await input(page).fill(`>${name}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
  await page.keyboard.press("Enter");
}

const scenarios = {
  async "a misspelt reference is a problem, its quick fix repairs it, and a verdict follows"() {
    set({});
    const { file, folder } = folderOf("broken", ["tutorial/5-shared-gpu.amxmi"], (text) =>
      text.replace('runnable="Steer?', 'runnable="Stear?'));
    const page = await open(file, folder);
    await verdict(page, "no verdict");
    await command(page, "View: Toggle Problems");
    await problem(page, "AM0203").waitFor();
    const word = page.locator(".view-lines span span", { hasText: "Stear?" });
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: 'Change to "Steer?type=Runnable"' });
    await repeat(fix, async () => {
      await word.click();
      await page.keyboard.press("Control+.");
    });
    await picture(page, "vscode-problem");
    await page.keyboard.press("Enter");
    await problem(page, "AM0203").waitFor({ state: "detached" });
    await verdict(page, "missed");
    await problem(page, "AM0542").waitFor();
    await lens(page, "WCRT 3 ms of 10 ms, guaranteed").waitFor();
    await page.close();
  },

  async "a lens explains its task beside the text"() {
    set({});
    const { file, folder } = folderOf("late", ["tutorial/5-shared-gpu.amxmi"]);
    const page = await open(file, folder);
    await lens(page, "of 33 ms, missed").locator("a").click();
    await beside(page, "the longest of 2 simulated jobs has a response time of 54.501 ms").waitFor();
    await beside(page, "Smallest change that works: with GPU time slices of 1 ms").waitFor();
    await page.close();
  },

  async "the report stands beside the text and follows it when it is saved"() {
    set({});
    const { file, folder } = folderOf("report", ["tutorial/5-shared-gpu.amxmi"]);
    const page = await open(file, folder);
    await verdict(page, "missed");
    await command(page, "AMALTHEA: Show the Report");
    await beside(page, "Verdict: missed. 1 missed: Detection; 2 guaranteed").waitFor();
    await picture(page, "vscode-report");
    // The repair of the tutorial: 15 ms become 1 ms.
    await page.locator(".view-line", { hasText: "swModel" }).first().click();
    await command(page, "Replace");
    await page.locator(".find-part textarea").fill('value="15"');
    await page.locator(".replace-part textarea").fill('value="1"');
    await page.keyboard.press("Control+Alt+Enter");
    await tab(page, "before the edit").waitFor();
    await page.keyboard.press("Control+S");
    await beside(page, "Verdict: guaranteed. 3 guaranteed").waitFor();
    await tab(page, "before the edit").waitFor({ state: "detached" });
    await verdict(page, "guaranteed");
    await page.close();
  },

  async "a lens of a chain opens the report"() {
    set({});
    const { file, folder } = folderOf("chain", ["chains.amxmi"]);
    const page = await open(file, folder);
    await verdict(page, "missed");
    await page.keyboard.press("Control+F");
    await page.locator(".find-part textarea").fill("<eventChains");
    await page.keyboard.press("Enter");
    // The editor may not draw a lens that arrives while it scrolls, until it scrolls again.
    await page.mouse.move(600, 500);
    await repeat(lens(page, "reaction").first(), () => page.mouse.wheel(0, 20));
    await lens(page, "reaction").first().locator("a").click();
    await beside(page, "Timing of chains.amxmi").waitFor();
    await page.close();
  },

  async "the plan says what helps a late task"() {
    set({});
    const { file, folder } = folderOf("plan", ["tutorial/5-shared-gpu.amxmi"]);
    const page = await open(file, folder);
    await verdict(page, "missed");
    await command(page, "AMALTHEA: Show What Would Help");
    await beside(page, "Smallest change that works: with GPU time slices of 1 ms").waitFor();
    await page.close();
  },

  async "a split model is analyzed as a whole, and its results are written into all of its files"() {
    set({});
    const { folder } = folderOf("split", ["tutorial/6-repaired.amxmi"]);
    const whole = readFileSync(`${folder}/6-repaired.amxmi`, "utf8");
    const root = whole.slice(0, whole.indexOf("  <swModel>"));
    const [stimuli] = whole.match(/  <stimuliModel>[^]*<\/stimuliModel>\n/);
    writeFileSync(`${folder}/stimuli.amxmi`, `${root}${stimuli}</am:Amalthea>\n`);
    const split = whole
      .replace(stimuli, "")
      .replace(/(<tasks [^>]*) stimuli="(\w+)\?type=(\w+)">/g,
        '$1>\n<stimuli xsi:type="am:$3" href="amlt:/#$2?type=$3"/>')
      .replace(/(<items xsi:type="am:InterProcessTrigger") stimulus="(\w+)\?type=(\w+)"\/>/g,
        '$1><stimulus href="amlt:/#$2?type=$3"/></items>');
    writeFileSync(`${folder}/6-repaired.amxmi`, split);
    const page = await open(`${folder}/6-repaired.amxmi`, folder);
    await verdict(page, "guaranteed");
    await command(page, "AMALTHEA: Analyze the Model");
    await page.locator(".view-line", { hasText: "Verdict: guaranteed. 3 guaranteed" }).waitFor();
    await page.locator(".tab", { hasText: "6-repaired" }).click();
    mkdirSync(`${folder}/annotated`);
    await command(page, "AMALTHEA: Annotate");
    await choose(page, `${folder}/annotated/`);
    await until(() => existsSync(`${folder}/annotated/stimuli.amxmi`));
    if (!readFileSync(`${folder}/annotated/6-repaired.amxmi`, "utf8").includes("amalthea-timing.wcrt"))
      throw new Error("the annotated model has no results");
    await page.close();
  },

  async "a model is annotated, converted and traced into the files that the user names"() {
    set({});
    const { file, folder } = folderOf("verbs", ["tutorial/5-shared-gpu.amxmi"]);
    const page = await open(file, folder);
    await verdict(page, "missed");
    await command(page, "AMALTHEA: Annotate");
    await choose(page, `${folder}/5-shared-gpu-annotated.amxmi`);
    await tab(page, "5-shared-gpu-annotated.amxmi").waitFor();
    await page.locator(".tab", { hasText: "5-shared-gpu.amxmi" }).click();
    await command(page, "AMALTHEA: Convert");
    await choose(page, `${folder}/5-shared-gpu-converted.amxmi`);
    await until(async () => (await input(page).inputValue()) === "3.3.0");
    await input(page).fill("2.0.0");
    await page.keyboard.press("Enter");
    await page.locator(".view-line", { hasText: "amalthea/2.0.0" }).waitFor();
    await page.locator(".tab", { hasText: "5-shared-gpu.amxmi" }).click();
    await command(page, "AMALTHEA: Open a Trace in Perfetto");
    await choose(page, `${folder}/5-shared-gpu.trace.json`);
    await page.locator(".notification-toast", { hasText: "Drop 5-shared-gpu.trace.json into" }).waitFor();
    JSON.parse(readFileSync(`${folder}/5-shared-gpu.trace.json`, "utf8"));
    await page.close();
  },

  async "a model opens without a workspace, and its report is as dark as the editor"() {
    set({ "workbench.colorTheme": "Default Dark Modern" });
    const { file } = folderOf("alone", ["tutorial/1-one-task.amxmi"]);
    const page = await open(file);
    await verdict(page, "met under 2 assumptions");
    await command(page, "AMALTHEA: Show the Report");
    const color = () => beside(page, "Verdict: met under").evaluate((body) => getComputedStyle(body).backgroundColor);
    await until(async () => (await color()) === "rgb(20, 23, 27)");
    await page.close();
  },

  async "settings are options of the server, and a wrong one is named"() {
    set({ "amalthea.option.suppress": ["AM0203"] });
    const { file, folder } = folderOf("settings", ["broken.amxmi"]);
    const page = await open(file, folder);
    await command(page, "View: Toggle Problems");
    await problem(page, "AM0620").waitFor();
    if (await problem(page, "AM0203").count()) throw new Error("a suppressed finding is a problem");
    await page.close();
    set({ "amalthea.option.delay": 99_999_999 });
    const other = await open(file, folder);
    await other.locator(".notification-toast", { hasText: "--delay" }).waitFor();
    await other.close();
  },

  async "a workspace that is not trusted has findings and a verdict, but no say"() {
    set({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" });
    const { file, folder } = folderOf("untrusted", ["tutorial/5-shared-gpu.amxmi", "broken.amxmi"]);
    mkdirSync(`${folder}/.vscode`);
    const settings = {
      "amalthea.path": "/nowhere/other",
      "amalthea.option.suppress": ["AM0203"],
      "amalthea.suppress": ["AM0203"], // of the server, if the extension hands it on
    };
    writeFileSync(`${folder}/.vscode/settings.json`, JSON.stringify(settings));
    const page = await open(file, folder);
    await page.locator("[id='status.workspaceTrust']", { hasText: "Restricted Mode" }).waitFor();
    await verdict(page, "missed");
    await command(page, "AMALTHEA: Annotate");
    await page.locator(".notification-toast", { hasText: "off in a workspace that is not trusted" }).waitFor();
    await page.close();
    const other = await open(`${folder}/broken.amxmi`, folder);
    await command(other, "View: Toggle Problems");
    await problem(other, "AM0203").waitFor();
    await other.close();
  },

  async "a missing command is named, and a walkthrough says how to get it"() {
    set({}, { "amalthea.path": "/nowhere/amalthea" });
    const { file, folder } = folderOf("missing", ["tutorial/6-repaired.amxmi"]);
    const page = await open(file, folder);
    const toast = page.locator(".notification-toast", { hasText: 'There is no command "/nowhere/amalthea"' });
    await toast.locator(".monaco-button", { hasText: "How to Get It" }).click();
    await page.locator(".getting-started-step.expanded", { hasText: "Get the command" }).waitFor();
    await page.close();
  },

  async "after a server that refuses to begin the right path starts the server"() {
    const { file, folder } = folderOf("wrong", ["tutorial/6-repaired.amxmi"]);
    const answer = '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}';
    const program = `#!/bin/sh\nread -r line || exit 1\nprintf 'Content-Length: ${answer.length}\\r\\n\\r\\n${answer}'\ncat\n`;
    writeFileSync(`${folder}/refusing`, program, { mode: 0o755 });
    set({}, { "amalthea.path": `${folder}/refusing` });
    const page = await open(file, folder);
    await verdict(page, "amalthea");
    set({});
    await verdict(page, "guaranteed");
    await page.close();
  },

  async "the walkthrough opens a model whose deadline is missed"() {
    set({});
    const { file, folder } = folderOf("walkthrough", ["tutorial/6-repaired.amxmi"]);
    const page = await open(file, folder);
    await verdict(page, "guaranteed");
    await command(page, "AMALTHEA: Open the Model of the Tutorial");
    await verdict(page, "missed");
    await lens(page, "of 33 ms, missed").locator("a").click();
    await beside(page, "the longest of 2 simulated jobs has a response time of 54.501 ms").waitFor();
    await page.close();
  },
};

let failed = 0;
for (const [name, work] of Object.entries(scenarios)) {
  if (!name.includes(ONLY ?? "")) continue;
  const begin = Date.now();
  try {
    await work();
    console.log(`${name}: ${Date.now() - begin} ms`);
  } catch (error) {
    failed = 1;
    console.log(`FAILED ${name}: ${error.stack}`);
    for (const page of browser.contexts().flatMap((context) => context.pages())) {
      await page.screenshot({ path: `${SHOTS}/failed-${name.slice(0, 20).replaceAll(" ", "-")}.png` });
      await page.close();
    }
  }
}
await browser.close();
process.exit(failed);
