import type { Finding } from "@factory/template-engine/finding";
import { PathRename } from "@factory/template-engine/path-rename";
import { unsafePath } from "@factory/template-engine/path-safety";
import type { TemplateSource } from "@factory/template-engine/template-config";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { leavesTree, sourceFolder, sourcePaths, withoutDots } from "../content/source-folders.js";
import type { ConfigPlace, ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

export function lintSources(pack: TemplatePack, places: ConfigPlaces): Finding[] {
  const { sources } = pack.config;
  return [
    ...sources.flatMap(({ source }, index) => lintFolder(pack, source, places.at("sources", index, "source"))),
    ...sources.flatMap((source, index) => lintTargets(source, index, places)),
    ...lintPrimaryOutputs(pack, places),
  ];
}

/** Every source must be a folder, even if its condition is false: otherwise the engine does not install the template. */
function lintFolder(pack: TemplatePack, source: string, place: ConfigPlace): Finding[] {
  const tree = sourceFolder(pack, source);
  if (!tree) {
    const message = `The source "${source}" is outside of the package.`;
    const suggestion = "Name a folder of the package, relative to the folder that holds .template.config.";
    return [finding("SourceOutsidePackage", message, { ...place, suggestion })];
  }
  if (tree.files.has(tree.folder)) {
    const suggestion = `Name its folder as the source and the file in "include".`;
    return [finding("SourceNotDirectory", `The source "${source}" is a file.`, { ...place, suggestion })];
  }
  if (tree.folder === "" || sourcePaths(tree).length > 0) return [];
  const suggestion =
    "Correct the path, or add the folder with at least one file, since git does not store empty folders.";
  return [finding("SourceMissing", `The source "${source}" does not exist.`, { ...place, suggestion })];
}

function lintTargets(source: TemplateSource, index: number, places: ConfigPlaces): Finding[] {
  const at = (...more: (string | number)[]) => places.at("sources", index, ...more);
  const renames = [source, ...source.modifiers].flatMap((part, number) =>
    Object.entries(part.rename).map(([from, to]) => ({
      what: `rename to "${to}"`,
      path: to,
      place: number === 0 ? at("rename", from) : at("modifiers", number - 1, "rename", from),
    })),
  );
  return [{ what: `target "${source.target}"`, path: source.target, place: at("target") }, ...renames]
    .filter(({ path }) => leavesTree(path))
    .map(({ what, place }) =>
      finding("PathTraversal", `The ${what} leads out of the output folder.`, {
        ...place,
        suggestion: "Name a path inside the output folder.",
      }),
    );
}

/** A primary output's path is its file's path before symbols rename it. */
function lintPrimaryOutputs(pack: TemplatePack, places: ConfigPlaces): Finding[] {
  const { primaryOutputs } = pack.config;
  if (primaryOutputs.length === 0) return [];
  const paths = producedPaths(pack);
  return primaryOutputs.flatMap(({ path }, index) => {
    const place = places.at("primaryOutputs", index, "path");
    const name = withoutDots(path);
    if (name === undefined)
      return [finding("PathTraversal", `The primary output "${path}" leads out of the output folder.`, place)];
    if (paths.has(name) || unsafePath(name) !== undefined) return [];
    const suggestion =
      "Use the path of the file in the template, with the target and the renames of its source applied.";
    const message = `No file of the template becomes the primary output "${path}".`;
    return [finding("PrimaryOutputMissing", message, { ...place, suggestion })];
  });
}

function producedPaths(pack: TemplatePack): Set<string> {
  const { sources } = pack.config;
  if (sources.length === 0) return new Set(pack.files.keys());
  const paths = new Set<string>();
  for (const source of sources) {
    const folder = sourceFolder(pack, source.source);
    if (!folder) continue;
    // a modifier's condition may be true or false, so both names are possible
    const renames = [source.rename, ...source.modifiers.map(({ rename }) => ({ ...source.rename, ...rename }))].map(
      (rename) => new PathRename(new Map(Object.entries(rename))),
    );
    for (const { relative } of sourcePaths(folder))
      for (const rename of renames) {
        const path = withoutDots(`${source.target}/${rename.apply(relative)}`.replace(/^\/+/, ""));
        if (path !== undefined) paths.add(path);
      }
  }
  return paths;
}
