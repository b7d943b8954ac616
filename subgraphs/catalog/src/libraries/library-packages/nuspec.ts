import { frameworkName, parseFramework, readFramework } from "@factory/nuget/framework";
import { isPackageId } from "@factory/nuget/package-id";
import { parseVersion } from "@factory/nuget/version";
import { parseRange } from "@factory/nuget/version-range";
import type { InputProblems } from "../../ground/input-problems/input-problems.js";
import {
  frameworkDetail,
  packageIdDetail,
  rangeDetail,
  versionDetail,
} from "../../ground/input-problems/nuget-details.js";
import { childrenOf, type NuspecElement, readNuspecXml, textOf } from "./nuspec-xml.js";
import { packagePointer, packageProblem } from "./package-problem.js";

interface NuspecDependency {
  packageName: string;
  /** A NuGet version range; null means any version. */
  range: string | null;
  /** The dependency group's framework; null where the dependency counts on every framework. */
  targetFramework: string | null;
}

export interface Nuspec {
  packageName: string;
  version: string;
  authors: string | null;
  title: string | null;
  description: string | null;
  tags: string[];
  packageTypes: string[];
  dependencies: NuspecDependency[];
  /** Frameworks that have a dependency group, which may be empty. */
  dependencyGroups: string[];
  license: NuspecLicense | null;
}

/** The license that a package states: an SPDX expression, a file in the package, or a page's address. */
interface NuspecLicense {
  kind: "Expression" | "File" | "Url";
  value: string;
}

/** The group for frameworks that have no group of their own. */
const anyGroup = "any";
const maxTags = 50;
const maxTagLength = 50;
const maxOwnerLength = 100;
const maxTitleLength = 200;
const maxDescriptionLength = 4_000;
const maxLicenseLength = 2048;
/** NuGet writes this address beside a license element, for old clients. */
const replacedUrl = /^https:\/\/aka\.ms\/deprecateLicenseUrl$/i;

/** Parses a nuspec and adds what is wrong with it to `problems`. Throws where it cannot be read at all. */
export function readNuspec(bytes: Uint8Array, problems: InputProblems): Nuspec {
  const root = readNuspecXml(bytes);
  const metadata = root.name === "package" ? childrenOf(root, "metadata")[0] : undefined;
  if (metadata === undefined)
    throw packageProblem(
      "FORMAT",
      "The nuspec has no <package> element with <metadata>. Pack the library again with dotnet pack.",
    );
  const packageName = textOf(metadata, "id") ?? "";
  const version = textOf(metadata, "version") ?? "";
  if (packageName === "") problems.add(packagePointer, "REQUIRED", "The nuspec has no id. Add <id> to its metadata.");
  else if (!isPackageId(packageName))
    problems.add(packagePointer, "FORMAT", `The id of the nuspec is not valid. ${packageIdDetail(packageName)}`);
  if (version === "")
    problems.add(packagePointer, "REQUIRED", "The nuspec has no version. Add <version> to its metadata.");
  else if (!parseVersion(version))
    problems.add(packagePointer, "FORMAT", `The version of the nuspec is not valid. ${versionDetail(version)}`);
  return {
    packageName,
    version,
    authors: textOf(metadata, "authors")?.slice(0, maxOwnerLength) ?? null,
    title: textOf(metadata, "title")?.slice(0, maxTitleLength) || null,
    description: textOf(metadata, "description")?.slice(0, maxDescriptionLength) || null,
    tags: tagsOf(textOf(metadata, "tags") ?? ""),
    packageTypes: childrenOf(childrenOf(metadata, "packageTypes")[0], "packageType").flatMap(
      (type) => type.attributes.get("name") ?? [],
    ),
    ...dependenciesOf(childrenOf(metadata, "dependencies")[0], problems),
    license: licenseOf(metadata),
  };
}

/** A license element without a known type, or a text that is too long to be a license, states nothing. */
function licenseOf(metadata: NuspecElement): NuspecLicense | null {
  const [element] = childrenOf(metadata, "license");
  const type = element?.attributes.get("type")?.trim().toLowerCase();
  const value = element?.text.trim() ?? "";
  if (element !== undefined && value !== "" && value.length <= maxLicenseLength) {
    if (type === "expression") return { kind: "Expression", value };
    if (type === "file") return { kind: "File", value };
  }
  const url = textOf(metadata, "licenseUrl") ?? "";
  const isPage = /^https?:\/\//i.test(url) && URL.canParse(url) && url.length <= maxLicenseLength;
  return isPage && !replacedUrl.test(url) ? { kind: "Url", value: url } : null;
}

function tagsOf(text: string): string[] {
  const tags = text.split(/[\s,;]+/).filter((tag) => tag !== "" && tag.length <= maxTagLength);
  return [...new Set(tags)].slice(0, maxTags);
}

function dependenciesOf(
  element: NuspecElement | undefined,
  problems: InputProblems,
): Pick<Nuspec, "dependencies" | "dependencyGroups"> {
  const groups = childrenOf(element, "group");
  // as in NuGet, dependencies beside groups are ignored
  if (groups.length === 0) return { dependencies: dependenciesIn(element, null, problems), dependencyGroups: [] };
  const namedGroups = groups.map((group) => ({ group, framework: groupFramework(group, problems) }));
  const onlyAny = namedGroups.every(({ framework }) => framework === anyGroup);
  return {
    dependencies: namedGroups.flatMap(({ group, framework }) =>
      dependenciesIn(group, onlyAny ? null : framework, problems),
    ),
    dependencyGroups: onlyAny ? [] : [...new Set(namedGroups.map(({ framework }) => framework))],
  };
}

function groupFramework({ attributes }: NuspecElement, problems: InputProblems): string {
  const moniker = attributes.get("targetFramework")?.trim() || anyGroup;
  const framework = readFramework(moniker);
  if (framework.identifier === "Any") return anyGroup;
  if (!parseFramework(moniker))
    problems.add(
      packagePointer,
      "UNKNOWN_VALUE",
      `A dependency group has an unknown framework. ${frameworkDetail(moniker)}`,
    );
  return frameworkName(framework);
}

function dependenciesIn(
  element: NuspecElement | undefined,
  targetFramework: string | null,
  problems: InputProblems,
): NuspecDependency[] {
  return childrenOf(element, "dependency").map(({ attributes }) => {
    const packageName = attributes.get("id")?.trim() ?? "";
    const range = attributes.get("version")?.trim() || null;
    if (!isPackageId(packageName))
      problems.add(
        packagePointer,
        "FORMAT",
        `A dependency has an id that is not valid. ${packageIdDetail(packageName)}`,
      );
    if (range !== null && !parseRange(range))
      problems.add(
        packagePointer,
        "FORMAT",
        `The dependency ${packageName} has a version range that is not valid. ${rangeDetail(range)}`,
      );
    return { packageName, range, targetFramework };
  });
}
