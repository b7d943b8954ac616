import { frameworkName, parseFramework } from "@factory/nuget/framework";
import { isPackageId } from "@factory/nuget/package-id";
import type { FileTree } from "@factory/template-engine/file-tree";
import { attributeOf, type XmlElement } from "@factory/template-engine/xml-outline";
import { lookupPaths } from "../../package-references/project-files.js";
import type { ScanLimit } from "../limits/scan-limits.js";
import { scanLimits } from "../limits/scan-limits.js";
import {
  itemsOf,
  MsbuildFiles,
  type MsbuildItem,
  type MsbuildProperties,
  metadata,
  propertiesOf,
} from "./msbuild-file.js";

/** A package that a project or a request asks for. */
export interface PackageReference {
  readonly packageName: string;
  /** The version or range as it is asked for; null where none is stated. */
  readonly requested: string | null;
}

/** A project with the packages that it references itself. */
export interface ReferencingProject {
  /** The path of the project; null for the set of a request. */
  readonly path: string | null;
  /** Monikers of its target frameworks. */
  readonly frameworks: readonly string[];
  readonly references: readonly PackageReference[];
  /** Versions that central package management also gives to transitive packages. */
  readonly pins: readonly PackageReference[];
}

/** The references of all projects of a render. */
export interface ProjectReferences {
  readonly projects: ReferencingProject[];
  /** The limits that were reached. */
  readonly limits: ScanLimit[];
}

const project = /\.(?:cs|fs|vb|wix|sql|wap|deploy)proj$/i;
const oldReferences = "packages.config";
/** A longer text cannot be a version. Only its beginning is stored. */
const maxRequestedLength = 200;

/**
 * Reads the packages that the projects of a render reference: items of projects and of the files that MSBuild imports by
 * their names, central package management, and packages.config. Conditions are not evaluated, so every reference counts.
 */
export function projectReferences(files: FileTree, fallbackFramework: string): ProjectReferences {
  const limits = new Set<ScanLimit>();
  const msbuild = new MsbuildFiles(files, scanLimits.characters);
  const paths = [...files.keys()].filter((path) => project.test(path)).sort();
  if (paths.length > scanLimits.projects) limits.add("Projects");
  let referencesLeft = scanLimits.references;
  const projects: ReferencingProject[] = [];
  for (const path of paths.slice(0, scanLimits.projects)) {
    const found = readProject(msbuild, path, fallbackFramework);
    if (found.references.length + found.pins.length > referencesLeft) limits.add("References");
    const references = found.references.slice(0, referencesLeft);
    referencesLeft -= references.length;
    const pins = found.pins.slice(0, referencesLeft);
    referencesLeft -= pins.length;
    projects.push({ ...found, references, pins });
  }
  if (!msbuild.complete) limits.add("Projects");
  return { projects, limits: [...limits] };
}

function readProject(msbuild: MsbuildFiles, path: string, fallbackFramework: string): ReferencingProject {
  const nearest = (name: string) => lookupPaths(path, name).find((candidate) => msbuild.has(candidate));
  const rootOf = (name: string) => {
    const found = nearest(name);
    return found === undefined ? undefined : msbuild.root(found);
  };
  const own = msbuild.root(path);
  const [build, central, targets] = [
    rootOf("Directory.Build.props"),
    rootOf("Directory.Packages.props"),
    rootOf("Directory.Build.targets"),
  ];
  // properties are evaluated before all items, and the file that is read last wins
  const properties = propertiesOf([build, central, own, targets]);
  const items = [build, central, own, targets].flatMap((root) => itemsOf(root, properties));
  const managed = flag(properties, "ManagePackageVersionsCentrally");
  const versions = managed ? versionsOf(items, "PackageVersion", properties) : new Map<string, PackageReference[]>();
  const references = referencesOf(items, { properties, managed, versions });
  const folder = path.split("/").slice(0, -1);
  references.push(...configReferences(msbuild.root([...folder, oldReferences].join("/"))));
  return {
    path,
    frameworks: frameworksOf(properties, fallbackFramework),
    references: distinct(references),
    pins: flag(properties, "CentralPackageTransitivePinningEnabled") ? distinct([...versions.values()].flat()) : [],
  };
}

interface ReferenceContext {
  readonly properties: MsbuildProperties;
  readonly managed: boolean;
  readonly versions: ReadonlyMap<string, readonly PackageReference[]>;
}

function referencesOf(items: readonly MsbuildItem[], context: ReferenceContext): PackageReference[] {
  const found = versionsOf(
    items,
    "PackageReference",
    context.properties,
    context.managed ? "VersionOverride" : "Version",
  );
  const referenced = [...found].flatMap(([key, references]): readonly PackageReference[] => {
    const stated = references.filter(({ requested }) => requested !== null);
    if (stated.length > 0) return stated;
    const central = context.versions.get(key) ?? [];
    return central.length > 0 ? central : references;
  });
  return [...referenced, ...[...versionsOf(items, "GlobalPackageReference", context.properties).values()].flat()];
}

/** The items of a kind by package name in lower case: an update changes them, and a removal without a condition removes them. */
function versionsOf(
  items: readonly MsbuildItem[],
  kind: string,
  properties: MsbuildProperties,
  member = "Version",
): Map<string, PackageReference[]> {
  const found = new Map<string, PackageReference[]>();
  for (const item of items) {
    if (item.kind.toLowerCase() !== kind.toLowerCase()) continue;
    const requested = metadata(item.element, member, properties)?.slice(0, maxRequestedLength).toWellFormed() ?? null;
    for (const packageName of item.names) {
      const key = packageName.toLowerCase();
      if (!isPackageId(packageName)) continue;
      const known = found.get(key) ?? [];
      if (item.operation === "Include") found.set(key, [...known, { packageName, requested }]);
      else if (item.operation === "Remove" && !item.conditional) found.delete(key);
      else if (item.operation === "Update" && requested !== null && known.length > 0)
        found.set(key, item.conditional ? [...known, { packageName, requested }] : [{ packageName, requested }]);
    }
  }
  return found;
}

function configReferences(root: XmlElement | undefined): PackageReference[] {
  return (root?.children ?? []).flatMap((element) => {
    const packageName = attributeOf(element, "id")?.value.trim() ?? "";
    // a packages.config names one exact version
    const version = attributeOf(element, "version")?.value.trim().slice(0, maxRequestedLength).toWellFormed();
    return element.name === "package" && isPackageId(packageName) ? [{ packageName, requested: version || null }] : [];
  });
}

function frameworksOf(properties: MsbuildProperties, fallback: string): string[] {
  const stated = [properties.get("targetframeworks"), properties.get("targetframework")].find(
    (value) => value !== undefined && value !== "",
  );
  const old = properties.get("targetframeworkversion");
  const monikers = stated?.split(";") ?? (old === undefined ? [] : [`.NETFramework,Version=${old}`]);
  const known = monikers.flatMap((moniker) => {
    const framework = parseFramework(moniker.trim());
    return framework === undefined ? [] : [frameworkName(framework)];
  });
  const distinctNames = [...new Set(known)].slice(0, scanLimits.frameworksOfProject);
  return distinctNames.length > 0 ? distinctNames : [fallback];
}

function flag(properties: MsbuildProperties, name: string): boolean {
  return properties.get(name.toLowerCase())?.toLowerCase() === "true";
}

function distinct(references: readonly PackageReference[]): PackageReference[] {
  const key = ({ packageName, requested }: PackageReference) => `${packageName.toLowerCase()}|${requested ?? ""}`;
  return [...new Map(references.map((one) => [key(one), one])).values()];
}
