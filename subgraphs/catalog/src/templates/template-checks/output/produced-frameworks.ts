import { parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { finding } from "../findings/finding-codes.js";

const projectFile = /(?:\.\w*proj|Directory\.Build\.(?:props|targets))$/i;
const frameworkElement = /<TargetFrameworks?\b[^>]*>([^<]*)<\/TargetFrameworks?>/gi;

/** The produced projects' target frameworks; values with MSBuild expressions are left out. */
export function producedFrameworks(files: FileTree): { path: string; moniker: string }[] {
  return Array.from(files)
    .filter(([path]) => projectFile.test(path))
    .flatMap(([path, { bytes }]) =>
      Array.from(decodeText(bytes).matchAll(frameworkElement)).flatMap(([, list = ""]) =>
        list.split(";").map((moniker) => ({ path, moniker: moniker.trim() })),
      ),
    )
    .filter(({ moniker }) => parseFramework(moniker) !== undefined);
}

/** At least one produced project must be usable from the target framework that the version states. */
export function frameworkMismatch(
  projects: readonly { path: string; moniker: string }[],
  targetFramework: string,
): Finding[] {
  const target = parseFramework(targetFramework);
  const [first] = projects;
  if (!target || !first) return [];
  const usable = projects.some(({ moniker }) => {
    const framework = parseFramework(moniker);
    return framework !== undefined && isCompatible(target, framework);
  });
  if (usable) return [];
  const monikers = [...new Set(projects.map(({ moniker }) => moniker))].join(", ");
  const message = `The projects target ${monikers}. None of these can be used from ${targetFramework}, the target framework of the version.`;
  return [finding("TargetFrameworkMismatch", message, { path: first.path })];
}
