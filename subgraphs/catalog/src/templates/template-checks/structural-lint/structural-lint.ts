import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { collidingPaths, unsafePath, visiblePath } from "@factory/template-engine/path-safety";
import { RenderReport } from "@factory/template-engine/render-report";
import { resolveSymbols } from "@factory/template-engine/symbol-table";
import type { Variables } from "@factory/template-engine/symbol-value";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import type { ParameterSymbol, TemplateConfig } from "@factory/template-engine/template-config";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack, type TemplatePack } from "@factory/template-engine/template-pack";
import { lintConditions } from "../conditions/lint-conditions.js";
import { lintContents, lintSecrets } from "../content/lint-contents.js";
import { isBinary, templateTexts } from "../content/template-texts.js";
import { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { lintRegexes } from "../regular-expressions/lint-regexes.js";
import { lintShape } from "./config-shape.js";
import { lintConstraints } from "./constraints.js";
import { lintLocalization } from "./localization.js";
import { lintMetadata } from "./metadata.js";
import { lintPostActions } from "./post-actions.js";
import { lintSources } from "./sources.js";
import { lintUsage } from "./symbol-usage.js";
import { lintSymbols } from "./symbols.js";
import { lintForms } from "./value-forms.js";

const maxSearchedBytes = 5 * 1024 * 1024;

/** Checks a template as it is written, without rendering it. */
export function structuralLint(
  files: FileTree,
  { targetFramework, template }: { targetFramework?: string; template?: TemplateChoice } = {},
): Finding[] {
  const findings = [...lintPaths(files), ...lintSecrets(readableTexts(files))];
  let pack: TemplatePack;
  try {
    pack = loadTemplatePack(files, template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [...findings, ...error.findings];
  }
  const { config } = pack;
  const places = new ConfigPlaces(pack);
  const texts = templateTexts(pack);
  const regexes = lintRegexes(config, places);
  const defaults = regexes.harmless ? defaultSymbols(config) : undefined;
  return [
    ...findings,
    ...config.problems.map((problem) => placed(problem, places)),
    ...(defaults?.findings ?? []).map((problem) => placed(problem, places)),
    ...lintShape(config, places),
    ...lintMetadata(config, places),
    ...lintConstraints(config, targetFramework, places),
    ...lintSymbols(config, places),
    ...lintForms(config, places),
    ...regexes.findings,
    ...lintSources(pack, places),
    ...lintPostActions(config, places),
    ...lintLocalization(pack),
    ...lintConditions(pack, { places, texts, variables: defaults?.variables }),
    ...(regexes.harmless ? lintUsage(pack, texts, places) : []),
    ...lintContents(texts),
  ];
}

function lintPaths(files: FileTree): Finding[] {
  const unsafe = Array.from(files.keys()).flatMap((path) => {
    const reason = unsafePath(path);
    if (reason === undefined) return [];
    const isReserved = reason.startsWith("contains the reserved name");
    const label = visiblePath(path);
    return [
      finding(isReserved ? "ReservedFileName" : "PathTraversal", `The path "${label}" ${reason}.`, {
        path: label,
        suggestion: "Rename or remove the file.",
      }),
    ];
  });
  const colliding = collidingPaths(files.keys()).map(([first, path]) =>
    finding("CaseCollision", `"${path}" and "${first}" are the same path on some file systems.`, {
      path,
      suggestion: "Rename or remove one of the two.",
    }),
  );
  return [...unsafe, ...colliding];
}

function* readableTexts(files: FileTree): Generator<readonly [string, string]> {
  for (const [path, { bytes }] of files)
    if (bytes.length <= maxSearchedBytes && !isBinary(bytes)) yield [path, decodeText(bytes)];
}

/** The symbols' values when only the required parameters are set; undefined when the template cannot be rendered. */
function defaultSymbols(config: TemplateConfig): { variables: Variables; findings: Finding[] } | undefined {
  const requiredSymbols = Array.from(config.symbols.values()).filter(
    (symbol): symbol is ParameterSymbol => symbol.type === "parameter" && symbol.isRequired === true,
  );
  const parameters = Object.fromEntries(requiredSymbols.map((symbol) => [symbol.name, anyValue(symbol)]));
  const report = new RenderReport();
  try {
    const request = { name: "SampleApp", parameters, seed: "sample", now: new Date(0) };
    const { variables } = resolveSymbols(config, request, report);
    const violations = report.warnings.filter(({ code }) => code === "SchemaViolation");
    return { variables, findings: violations.map(({ message }) => finding("SchemaViolation", message)) };
  } catch (error) {
    if (error instanceof TemplateError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Adds line and column to an engine finding, which knows only the JSON pointer. */
function placed(problem: Finding, places: ConfigPlaces): Finding {
  const segments = (problem.pointer ?? "")
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const { path, line, column } = places.at(...segments);
  return { ...problem, path: problem.path ?? path, line: problem.line ?? line, column: problem.column ?? column };
}

function anyValue({ datatype, defaultValue, choices }: ParameterSymbol): string {
  if (defaultValue !== null) return defaultValue;
  const usual = { bool: "false", integer: "0", float: "0", hex: "0x0", string: "Sample" };
  return datatype === "choice" ? (choices[0]?.choice ?? "") : usual[datatype];
}
