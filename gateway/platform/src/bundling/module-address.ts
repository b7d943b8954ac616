import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import type { Plugin } from "esbuild";

const usesAddress = /\bimport\.meta\.(?:url|dirname|filename)\b|\b__(?:dirname|filename)\b/;

/** Gives the modules in a bundle their own files' addresses, so that they find the files and workers beside them. */
export function moduleAddresses(outputFolder: string): Plugin {
  return {
    name: "module addresses",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
        const code = await readFile(path, "utf8");
        if (!usesAddress.test(code)) return undefined;
        return { contents: withAddress(code, relative(outputFolder, path)), loader: "js" };
      });
    },
  };
}

/** The declaration stands in the first line, so that the source map's lines stay right. */
function withAddress(code: string, path: string): string {
  const address = `new URL(${JSON.stringify(path)}, bundleAddress)`;
  const text = code.replace(/^#!.*/, "");
  if (/\bimport\.meta\b/.test(text))
    return `const moduleAddress = ${address}.href; ${text.replace(/\bimport\.meta\.url\b/g, "moduleAddress")}`;
  const file = `require("node:url").fileURLToPath(${address})`;
  return `var __filename = ${file}, __dirname = require("node:path").dirname(__filename); ${text}`;
}
