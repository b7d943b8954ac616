import { loadTemplatePack } from "../configuration/template-pack.js";
import type { TreeFile } from "../files/file-tree.js";
import type { TargetFiles } from "../target/target-files.js";
import { type RenderResult, render } from "./render.js";

/** Makes a file tree from texts. */
export function tree(files: Readonly<Record<string, string | Uint8Array>>): Map<string, TreeFile> {
  return new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      { bytes: typeof content === "string" ? Buffer.from(content, "utf8") : content, executable: false },
    ]),
  );
}

interface PackOptions {
  name?: string;
  parameters?: Record<string, unknown>;
  seed?: string;
  targetFramework?: string;
  target?: TargetFiles;
}

/** Renders files with a configuration; the members that every template needs are added. */
export function renderFiles(
  config: Record<string, unknown>,
  files: Readonly<Record<string, string | Uint8Array>>,
  options: PackOptions = {},
): RenderResult {
  const full = { identity: "Test.Template", name: "Test", shortName: "test", ...config };
  const pack = loadTemplatePack(tree({ ".template.config/template.json": JSON.stringify(full), ...files }));
  return render(pack, {
    name: options.name ?? "MyApp",
    parameters: options.parameters ?? {},
    seed: options.seed ?? "seed",
    now: new Date(Date.UTC(2024, 1, 3, 4, 5, 6, 78)),
    ...(options.targetFramework === undefined ? {} : { targetFramework: options.targetFramework }),
    ...(options.target === undefined ? {} : { target: options.target }),
  });
}

/** The produced files as texts. */
export function texts(result: RenderResult): Record<string, string> {
  return Object.fromEntries([...result.files].map(([path, file]) => [path, Buffer.from(file.bytes).toString("utf8")]));
}

/** Renders one file with parameters that have these values and returns its text. */
export function conditional(path: string, text: string, symbols: Readonly<Record<string, unknown>>): string {
  const config = Object.fromEntries(
    Object.entries(symbols).map(([name, value]) => [
      name,
      {
        type: "parameter",
        datatype: typeof value === "boolean" ? "bool" : typeof value === "number" ? "int" : "string",
      },
    ]),
  );
  return texts(renderFiles({ symbols: config }, { [path]: text }, { parameters: { ...symbols } }))[path] ?? "<missing>";
}
