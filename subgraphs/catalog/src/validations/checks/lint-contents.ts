import { decodeText, detectEncoding } from "../../engine/encodings.js";
import { FileSelection } from "../../engine/file-selection.js";
import type { FileTree } from "../../engine/file-tree.js";
import type { Finding } from "../../engine/finding.js";
import { parseGlob } from "../../engine/glob.js";
import { RenderReport } from "../../engine/render-report.js";
import type { TemplateConfig, TemplateSource } from "../../engine/template-config.js";
import type { TemplatePack } from "../../engine/template-pack.js";
import { unbalancedDirective } from "./directives.js";
import { finding } from "./finding-codes.js";

const MAX_PROCESSED_BYTES = 5 * 1024 * 1024;
const SNIFFED_BYTES = 8 * 1024;

const wholeTemplate: TemplateSource = {
  source: "./",
  target: "./",
  condition: null,
  include: null,
  exclude: null,
  copyOnly: null,
  rename: {},
  modifiers: [],
};

/** Files whose directives are read when the template is rendered. */
export function lintContents({ root, config, files }: TemplatePack): Finding[] {
  const findings: Finding[] = [];
  for (const path of processedPaths(config, files)) {
    const bytes = files.get(path)?.bytes;
    if (!bytes || isBinary(bytes)) continue;
    const place = root === "" ? path : `${root}/${path}`;
    if (bytes.length > MAX_PROCESSED_BYTES) {
      const suggestion = "Name it in copyOnly, or make it smaller.";
      findings.push(
        finding("FileTooLarge", "The file is larger than 5 MiB and will be copied without processing.", {
          path: place,
          suggestion,
        }),
      );
      continue;
    }
    const stray = unbalancedDirective(path, decodeText(bytes));
    if (!stray) continue;
    const { keyword, line, column } = stray;
    const message = keyword === "if" ? "This #if has no #endif." : `This #${keyword} has no #if.`;
    findings.push(finding("UnbalancedConditional", message, { path: place, line, column }));
  }
  return findings;
}

/** Without a byte order mark, which texts of wider characters have, no text holds a zero. */
export function isBinary(bytes: Uint8Array): boolean {
  return detectEncoding(bytes).encoding === "utf8" && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

function processedPaths(config: TemplateConfig, files: FileTree): Set<string> {
  const own = [...config.specialCustomOperations.keys()].map((glob) => parseGlob(glob));
  const paths = new Set<string>();
  for (const source of config.sources.length === 0 ? [wholeTemplate] : config.sources) {
    const folder = source.source
      .split(/[\\/]/)
      .filter((part) => part !== "" && part !== ".")
      .join("/");
    const prefix = folder === "" ? "" : `${folder}/`;
    const selection = selectionOf(source, files);
    for (const path of files.keys()) {
      if (!path.startsWith(prefix)) continue;
      const relative = path.slice(prefix.length);
      // a template with operations of its own for a file may spell conditions in its own way
      if (own.some((glob) => glob.matches(relative))) continue;
      if (selection.dispositionOf(relative) === "processed") paths.add(path);
    }
  }
  return paths;
}

/** Modifiers count only where they name files to copy: their conditions are not known here. */
function selectionOf(source: TemplateSource, files: FileTree): FileSelection {
  const copying = source.modifiers.filter(({ copyOnly }) => copyOnly.length > 0);
  const modifiers = copying.map(({ copyOnly }) => ({
    condition: null,
    include: copyOnly,
    exclude: [],
    copyOnly,
    rename: {},
  }));
  return new FileSelection({ ...source, modifiers }, files, new Map(), new RenderReport());
}
