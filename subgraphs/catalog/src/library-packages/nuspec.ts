import { frameworkName, parseFramework, readFramework } from "@factory/nuget/framework";
import { isPackageId } from "@factory/nuget/package-id";
import { parseVersion } from "@factory/nuget/version";
import { parseRange } from "@factory/nuget/version-range";
import { childrenOf, type NuspecElement, readNuspecXml, textOf } from "./nuspec-xml.js";
import { type PackageProblems, packageProblem } from "./package-problem.js";

export interface NuspecDependency {
  packageName: string;
  /** Null: any version. */
  range: string | null;
  /** Null: it counts on every framework. */
  targetFramework: string | null;
}

export interface Nuspec {
  packageName: string;
  version: string;
  authors: string | null;
  tags: string[];
  packageTypes: string[];
  dependencies: NuspecDependency[];
  /** Frameworks with a dependency group, the empty ones too. */
  dependencyGroups: string[];
}

/** Serves where no group of a framework does. */
const anyGroup = "any";
const maxTags = 50;
const maxTagLength = 50;
const maxOwnerLength = 100;

export function readNuspec(bytes: Uint8Array, problems: PackageProblems): Nuspec {
  const root = readNuspecXml(bytes);
  const metadata = root.name === "package" ? childrenOf(root, "metadata")[0] : undefined;
  if (metadata === undefined) throw packageProblem("FORMAT", "The nuspec has no package with metadata.");
  const packageName = textOf(metadata, "id") ?? "";
  const version = textOf(metadata, "version") ?? "";
  if (!isPackageId(packageName))
    problems.add(
      packageName === "" ? "REQUIRED" : "FORMAT",
      `The nuspec's id "${packageName}" is no NuGet package id.`,
    );
  if (!parseVersion(version))
    problems.add(version === "" ? "REQUIRED" : "FORMAT", `The nuspec's version "${version}" is no NuGet version.`);
  return {
    packageName,
    version,
    authors: textOf(metadata, "authors")?.slice(0, maxOwnerLength) ?? null,
    tags: tagsOf(textOf(metadata, "tags") ?? ""),
    packageTypes: childrenOf(childrenOf(metadata, "packageTypes")[0], "packageType").flatMap(
      (type) => type.attributes.get("name") ?? [],
    ),
    ...dependenciesOf(childrenOf(metadata, "dependencies")[0], problems),
  };
}

function tagsOf(text: string): string[] {
  const tags = text.split(/[\s,;]+/).filter((tag) => tag !== "" && tag.length <= maxTagLength);
  return [...new Set(tags)].slice(0, maxTags);
}

function dependenciesOf(
  element: NuspecElement | undefined,
  problems: PackageProblems,
): Pick<Nuspec, "dependencies" | "dependencyGroups"> {
  const groups = childrenOf(element, "group");
  // as in NuGet, what stands beside groups is not read
  if (groups.length === 0) return { dependencies: dependenciesIn(element, null, problems), dependencyGroups: [] };
  const named = groups.map((group) => ({ group, framework: groupFramework(group, problems) }));
  const onlyAny = named.every(({ framework }) => framework === anyGroup);
  return {
    dependencies: named.flatMap(({ group, framework }) => dependenciesIn(group, onlyAny ? null : framework, problems)),
    dependencyGroups: onlyAny ? [] : [...new Set(named.map(({ framework }) => framework))],
  };
}

function groupFramework({ attributes }: NuspecElement, problems: PackageProblems): string {
  const moniker = attributes.get("targetFramework")?.trim() || anyGroup;
  const framework = readFramework(moniker);
  if (framework.identifier === "Any") return anyGroup;
  if (!parseFramework(moniker))
    problems.add("UNKNOWN_VALUE", `The dependency group's framework "${moniker}" is not known.`);
  return frameworkName(framework);
}

function dependenciesIn(
  element: NuspecElement | undefined,
  targetFramework: string | null,
  problems: PackageProblems,
): NuspecDependency[] {
  return childrenOf(element, "dependency").map(({ attributes }) => {
    const packageName = attributes.get("id")?.trim() ?? "";
    const range = attributes.get("version")?.trim() || null;
    if (!isPackageId(packageName)) problems.add("FORMAT", `The dependency "${packageName}" is no NuGet package id.`);
    if (range !== null && !parseRange(range))
      problems.add("FORMAT", `The dependency ${packageName} has "${range}", which is no NuGet version range.`);
    return { packageName, range, targetFramework };
  });
}
