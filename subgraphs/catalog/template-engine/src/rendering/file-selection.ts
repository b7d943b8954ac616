import { decideCondition } from "../conditions/evaluate-condition.js";
import type { Variables } from "../conditions/symbol-value.js";
import type { TemplateSource } from "../configuration/template-config.js";
import type { FileTree } from "../files/file-tree.js";
import { type Glob, parseGlob } from "../files/glob.js";
import type { RenderReport } from "../findings/render-report.js";
import { decodeText } from "../text/encodings.js";

type Disposition = "excluded" | "copied" | "processed";

const defaultInclude = ["**/*"];
const defaultExclude = [
  "**/[Bb]in/**",
  "**/[Oo]bj/**",
  "**/.template.config/**",
  "**/*.filelist",
  "**/*.user",
  "**/*.lock.json",
];
const defaultCopyOnly = ["**/node_modules/**"];

interface PatternLayer {
  include: readonly Glob[];
  exclude: readonly Glob[];
  copyOnly: readonly Glob[];
}

/** Selects the files in one source: which are processed, copied or excluded, and how they are renamed. */
export class FileSelection {
  readonly rename: ReadonlyMap<string, string>;
  /** The modifiers in reverse order, then the source's patterns. The first match decides. */
  readonly #layers: readonly PatternLayer[];

  constructor(source: TemplateSource, files: FileTree, variables: Variables, report: RenderReport) {
    const list = (patterns: readonly string[] | null, fallback: readonly string[]) =>
      patternsOf(patterns, fallback, files);
    const modifiers = source.modifiers.filter((modifier) => decideCondition(modifier.condition, variables, report));
    const rename = new Map(Object.entries(source.rename));
    for (const modifier of modifiers) {
      for (const [from, to] of Object.entries(modifier.rename)) rename.set(from, to);
    }
    this.rename = rename;
    const sourceLayer: PatternLayer = {
      include: list(source.include, defaultInclude),
      exclude: list(source.exclude, defaultExclude),
      copyOnly: list(source.copyOnly, defaultCopyOnly),
    };
    const modifierLayers = modifiers.map((modifier) => ({
      include: list(modifier.include, []),
      exclude: list(modifier.exclude, []),
      copyOnly: list(modifier.copyOnly, []),
    }));
    this.#layers = [...modifierLayers.reverse(), sourceLayer];
  }

  dispositionOf(path: string): Disposition {
    let isCopy = false;
    for (const layer of this.#layers) {
      if (matchesAny(layer.exclude, path)) return "excluded";
      const isIncluded = matchesAny(layer.include, path);
      if (matchesAny(layer.copyOnly, path)) {
        if (isIncluded) return "copied";
        isCopy = true;
      } else if (isIncluded) {
        return isCopy ? "copied" : "processed";
      }
    }
    return "excluded";
  }
}

function matchesAny(globs: readonly Glob[], path: string): boolean {
  return globs.some((glob) => glob.matches(path));
}

/** A single pattern that names a file beside template.json is replaced with that file's lines. */
function patternsOf(patterns: readonly string[] | null, fallback: readonly string[], files: FileTree): Glob[] {
  let entries = patterns === null || patterns.length === 0 ? fallback : patterns;
  const [only] = entries;
  const list = entries.length === 1 ? files.get(`.template.config/${only}`) : undefined;
  if (list !== undefined) {
    entries = decodeText(list.bytes)
      .split(/[\r\n]+/)
      .filter((line) => line !== "");
  }
  return entries.map((pattern) => parseGlob(pattern, false));
}
