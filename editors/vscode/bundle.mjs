// SPDX-License-Identifier: Apache-2.0
// Bundles src/ and what it imports into dist/extension.js, and puts beside it the licenses of what it imports
// and the model of the tutorial.
import { build } from "esbuild";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node18",
  external: ["vscode"],
  metafile: true,
});
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const notices = [...packages].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = ["LICENSE", "License.txt", "LICENSE.txt", "LICENSE.md"].find((one) => existsSync(`${folder}/${one}`));
  if (!file) throw new Error(`${name} has no license`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("dist/licenses.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
const root = process.env.AMALTHEA_ROOT ?? "../..";
copyFileSync(`${root}/LICENSE`, "LICENSE");
copyFileSync(`${root}/samples/tutorial/5-shared-gpu.amxmi`, "dist/tutorial.amxmi");
