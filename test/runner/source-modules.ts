import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url).href;
const globalsUrl = "jest:globals";
const workspaceSource = /^(schema|test|(?:.*\/)?src)\/(.*)\.ts$/;

/**
 * Makes this process load workspaces by their sources' addresses, with the code that `tsc` has made from them. So a
 * test finds the files beside it, and runs what the product runs.
 */
export function loadSources(): void {
  process.setSourceMapsEnabled(true);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "@jest/globals") return { url: globalsUrl, format: "module", shortCircuit: true };
      // other packages use the condition "source" for their own sources
      if (specifier.startsWith("@factory/"))
        return next(specifier, { ...context, conditions: [...context.conditions, "source"] });
      const source = specifier.startsWith(".") && sourceBeside(specifier, context.parentURL);
      return source ? { url: source, format: "module", shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      if (url === globalsUrl) {
        const source = "export const { jest, expect } = globalThis;";
        return { format: "module", source, shortCircuit: true };
      }
      const file = compiledFile(url);
      return file ? { format: "module", source: codeOf(file, url), shortCircuit: true } : next(url, context);
    },
  });
}

/** The source to which another source's import with the extension `.js` leads. */
function sourceBeside(specifier: string, parent: string | undefined): string | undefined {
  if (parent === undefined || compiledFile(parent) === undefined) return undefined;
  const { href } = new URL(specifier.replace(/\.js$/, ".ts"), parent);
  return compiledFile(href) && href;
}

/** The compiled file for a workspace's source. */
function compiledFile(url: string): string | undefined {
  if (!url.startsWith(root) || url.includes("/node_modules/")) return undefined;
  const [, folder, path] = workspaceSource.exec(url.slice(root.length)) ?? [];
  if (folder === undefined) return undefined;
  const dist = folder.endsWith("src") ? `${folder.slice(0, -"src".length)}dist` : `${folder}/dist`;
  const file = fileURLToPath(`${root}${dist}/${path}.js`);
  return existsSync(file) ? file : undefined;
}

/** The compiled code, with the path from its source to its source map. Node reads maps by relative paths only. */
function codeOf(file: string, source: string): string {
  const map = `${relative(dirname(fileURLToPath(source)), file)}.map`;
  return readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\n?$/, `\n//# sourceMappingURL=${map}\n`);
}
