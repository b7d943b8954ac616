import type { FileTree } from "../../engine/file-tree.js";
import type { Finding } from "../../engine/finding.js";
import { PathRename } from "../../engine/path-rename.js";
import { unsafePath } from "../../engine/path-safety.js";
import type { TemplateSource } from "../../engine/template-config.js";
import type { TemplatePack } from "../../engine/template-pack.js";
import type { ConfigPlaces } from "./config-place.js";
import { finding } from "./finding-codes.js";

export function lintSources({ config, files }: TemplatePack, places: ConfigPlaces): Finding[] {
  return [
    ...config.sources.flatMap((source, index) => lintSource(source, files, { index, places })),
    ...lintPrimaryOutputs({ config, files }, places),
  ];
}

interface SourcePlace {
  index: number;
  places: ConfigPlaces;
}

function lintSource(source: TemplateSource, files: FileTree, { index, places }: SourcePlace): Finding[] {
  const findings: Finding[] = [];
  const at = (...more: (string | number)[]) => places.at("sources", index, ...more);
  const folder = folderOf(source.source);
  if (leavesTree(source.source))
    findings.push(
      finding("SourceOutsidePackage", `The source "${source.source}" lies outside the template.`, at("source")),
    );
  else if (files.has(folder))
    findings.push(
      finding("SourceNotDirectory", `The source "${source.source}" is a file.`, {
        ...at("source"),
        suggestion: "Name a folder and include the file.",
      }),
    );
  else if (folder !== "" && !Array.from(files.keys()).some((path) => path.startsWith(`${folder}/`)))
    findings.push(finding("SourceMissing", `The source "${source.source}" does not exist.`, at("source")));
  if (leavesTree(source.target))
    findings.push(finding("PathTraversal", `The target "${source.target}" leads out of the result.`, at("target")));
  const renames = [source, ...source.modifiers].flatMap((part, number) =>
    Object.entries(part.rename).map(([from, to]) => ({
      from,
      to,
      place: number === 0 ? at("rename", from) : at("modifiers", number - 1, "rename", from),
    })),
  );
  for (const { to, place } of renames)
    if (leavesTree(to))
      findings.push(finding("PathTraversal", `The rename to "${to}" leads out of the result.`, place));
  return findings;
}

function leavesTree(path: string): boolean {
  return /^(?:[a-z]:|[\\/])/i.test(path) || path.split(/[\\/]/).includes("..");
}

function folderOf(path: string): string {
  return normalized(path.replaceAll("\\", "/"));
}

function normalized(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** A primary output is written as its file is named before symbols rename it. */
function lintPrimaryOutputs(
  { config, files }: Pick<TemplatePack, "config" | "files">,
  places: ConfigPlaces,
): Finding[] {
  if (config.primaryOutputs.length === 0) return [];
  const produced = producedPaths(config.sources, files);
  return config.primaryOutputs.flatMap(({ path }, index) => {
    const place = places.at("primaryOutputs", index, "path");
    if (leavesTree(path))
      return [finding("PathTraversal", `The primary output "${path}" leads out of the result.`, place)];
    const name = normalized(path);
    if (produced.has(name) || unsafePath(name) !== undefined) return [];
    return [finding("PrimaryOutputMissing", `No file of the template becomes the primary output "${path}".`, place)];
  });
}

function producedPaths(sources: readonly TemplateSource[], files: FileTree): Set<string> {
  if (sources.length === 0) return new Set(files.keys());
  const produced = new Set<string>();
  for (const source of sources) {
    const folder = folderOf(source.source);
    // a modifier may or may not hold, so that both names are possible
    const renames = [source.rename, ...source.modifiers.map(({ rename }) => ({ ...source.rename, ...rename }))].map(
      (rename) => new PathRename(new Map(Object.entries(rename))),
    );
    for (const path of files.keys()) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
      const relative = folder === "" ? path : path.slice(folder.length + 1);
      for (const rename of renames) produced.add(normalized(`${source.target}/${rename.apply(relative)}`));
    }
  }
  return produced;
}
