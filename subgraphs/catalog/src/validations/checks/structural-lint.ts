import type { FileTree } from "../../engine/file-tree.js";
import type { Finding } from "../../engine/finding.js";
import { collidingPaths, unsafePath } from "../../engine/path-safety.js";
import { TemplateError } from "../../engine/template-error.js";
import { loadTemplatePack, type TemplatePack } from "../../engine/template-pack.js";
import { ConfigPlaces } from "./config-place.js";
import { finding } from "./finding-codes.js";
import { lintContents } from "./lint-contents.js";
import { lintPostActions } from "./lint-post-actions.js";
import { lintSources } from "./lint-sources.js";
import { lintSymbols } from "./lint-symbols.js";

/** What is wrong with the template as it is written, without rendering it. */
export function structuralLint(files: FileTree): Finding[] {
  const findings = lintPaths(files);
  let pack: TemplatePack;
  try {
    pack = loadTemplatePack(files);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [...findings, ...error.findings];
  }
  const places = new ConfigPlaces(pack);
  return [
    ...findings,
    ...lintIdentity(pack, places),
    ...pack.config.problems.map((problem) => ({ ...problem, path: problem.path ?? places.path })),
    ...lintSymbols(pack.config, places),
    ...lintSources(pack, places),
    ...lintPostActions(pack.config, places),
    ...lintContents(pack),
  ];
}

function lintPaths(files: FileTree): Finding[] {
  const unsafe = Array.from(files.keys()).flatMap((path) => {
    const reason = unsafePath(path);
    if (reason === undefined) return [];
    const reserved = reason.startsWith("holds the reserved name");
    return [finding(reserved ? "ReservedFileName" : "PathTraversal", `The path "${path}" ${reason}.`, { path })];
  });
  const colliding = collidingPaths(files.keys()).map(([first, path]) =>
    finding("CaseCollision", `"${path}" and "${first}" are the same on some file systems.`, { path }),
  );
  return [...unsafe, ...colliding];
}

function lintIdentity({ config }: TemplatePack, places: ConfigPlaces): Finding[] {
  const findings: Finding[] = [];
  const missing = (code: "MissingIdentity" | "MissingName" | "MissingShortName", member: string) =>
    findings.push(
      finding(code, `The template has no ${member}.`, {
        ...places.at(),
        suggestion: `Add "${member}" to template.json.`,
      }),
    );
  if (!config.identity?.trim()) missing("MissingIdentity", "identity");
  if (!config.name?.trim()) missing("MissingName", "name");
  if (!config.shortNames.some((name) => name.trim())) missing("MissingShortName", "shortName");
  return findings;
}
