import { type Framework, frameworkName, parseFramework, readFramework } from "@factory/nuget/framework";
import type { InputProblems } from "../../ground/input-problems/input-problems.js";
import { packagePointer } from "./package-problem.js";

/** A package part that the import ignored. */
export interface ImportWarning {
  code: string;
  message: string;
}

interface AssetFolder {
  readonly moniker: string;
  /** Whether the folder must be named after a framework: folders with assemblies must, build folders need not. */
  readonly strict: boolean;
}

const assembly = /\.(?:dll|exe|winmd)$/i;

/**
 * The frameworks that a package's asset folders have. A package without such folders runs on every framework. Unknown
 * frameworks are ignored with a warning, as NuGet ignores them; a package that has only unknown ones is a problem.
 */
export function assetFrameworks(
  paths: readonly string[],
  problems: InputProblems,
): { frameworks: string[]; warnings: ImportWarning[] } {
  const frameworks = new Set<string>();
  const unknown = new Set<string>();
  for (const path of paths) {
    const folder = assetFolder(path);
    if (folder === undefined) continue;
    const framework = assetFramework(folder);
    if (framework) frameworks.add(frameworkName(framework));
    else if (folder.strict || /^portable\b/i.test(folder.moniker)) unknown.add(folder.moniker);
  }
  if (unknown.size > 0 && frameworks.size === 0)
    problems.add(
      packagePointer,
      "UNKNOWN_VALUE",
      `The package has folders for unknown frameworks only: ${[...unknown].join(", ")}. It needs a folder for a known one, for example lib/net8.0.`,
    );
  const warnings = [...unknown].map((moniker) => ({
    code: "FrameworkIgnored",
    message: `The package has a folder for the framework "${moniker}", which is not known. The files in it are ignored.`,
  }));
  return { frameworks: [...frameworks], warnings };
}

/** The framework folder in a path such as `lib/net8.0/A.dll`, `ref/…`, `runtimes/win/lib/…` or `build/…`. */
function assetFolder(path: string): AssetFolder | undefined {
  const [head = "", second = "", third = "", fourth = "", ...rest] = path.split("/");
  switch (head.toLowerCase()) {
    case "lib":
    case "ref":
      if (third !== "") return { moniker: second, strict: true };
      // old packages without folders: .NET Framework of any version
      return head.toLowerCase() === "lib" && assembly.test(second) ? { moniker: "net", strict: true } : undefined;
    case "runtimes":
      return third.toLowerCase() === "lib" && rest.length > 0 ? { moniker: fourth, strict: true } : undefined;
    case "build":
    case "buildtransitive":
      return third !== "" ? { moniker: second, strict: false } : undefined;
    default:
      return undefined;
  }
}

/**
 * NuGet reads a folder `any` with assemblies as the old `dotnet`. A folder `any` with build files is for every project.
 */
function assetFramework({ moniker, strict }: AssetFolder): Framework | undefined {
  if (readFramework(moniker).identifier !== "Any") return parseFramework(moniker);
  return strict ? parseFramework("dotnet") : undefined;
}
