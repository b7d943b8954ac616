import { frameworkName, parseFramework } from "@factory/nuget/framework";
import { isPackageId } from "@factory/nuget/package-id";
import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import type { FileTree } from "@factory/template-engine/file-tree";
import { attributeOf, type XmlElement } from "@factory/template-engine/xml-outline";
import { scanLimits } from "../limits/scan-limits.js";
import { forAllAnswers } from "./conditions.js";
import { MsbuildEvaluation, type MsbuildItem } from "./msbuild-evaluation.js";
import { MsbuildFiles } from "./msbuild-files.js";

/** A package that a project or a request asks for. */
export interface PackageReference {
  readonly packageName: string;
  /** The version or range as it is asked for; null where none is stated. */
  readonly requested: string | null;
}

/** A project with the packages that it references itself. */
export interface ReferencingProject {
  /** The project's path; null for a request's set. */
  readonly path: string | null;
  /** Monikers of its target frameworks. */
  readonly frameworks: readonly string[];
  readonly references: readonly PackageReference[];
  /** Versions that central package management also gives to transitive packages. */
  readonly pins: readonly PackageReference[];
}

/** The references that all projects in a render have. */
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
 * Reads the packages that rendered projects reference: items in projects and in files that MSBuild imports, by a known
 * name or explicitly, central package management, and packages.config. A condition that the files do not decide
 * counts both as true and as false.
 */
export function projectReferences(files: FileTree, fallbackFramework: string): ProjectReferences {
  const limits = new Set<ScanLimit>();
  const msbuild = new MsbuildFiles(files, scanLimits.characters);
  const paths = [...files.keys()].filter((path) => project.test(path)).sort();
  if (paths.length > scanLimits.projects) limits.add("Projects");
  const reader = new ProjectReader(msbuild, fallbackFramework, limits);
  let referencesLeft = scanLimits.references;
  const projects: ProjectWithAlternatives[] = [];
  for (const path of paths.slice(0, scanLimits.projects)) {
    const projectContent = reader.read(path);
    if (projectContent.references.length + projectContent.pins.length > referencesLeft) limits.add("References");
    const references = projectContent.references.slice(0, referencesLeft);
    referencesLeft -= references.length;
    const pins = projectContent.pins.slice(0, referencesLeft);
    referencesLeft -= pins.length;
    projects.push({ ...projectContent, references, pins });
  }
  for (const limit of msbuild.limits) limits.add(limit);
  return { projects: projects.flatMap(alternativesOf), limits: [...limits] };
}

/** A project with everything that it references under some condition. */
interface ProjectWithAlternatives extends ReferencingProject {
  /** The same project under one evaluation's conditions each. */
  readonly alternatives: readonly ReferencingProject[];
}

/** Reads projects, once for each condition combination that the files do not decide. */
class ProjectReader {
  readonly #msbuild: MsbuildFiles;
  readonly #fallbackFramework: string;
  readonly #limits: Set<ScanLimit>;
  #evaluationsLeft: number = scanLimits.evaluations;
  #referencesLeft: number = scanLimits.referencesOfEvaluations;

  constructor(msbuild: MsbuildFiles, fallbackFramework: string, limits: Set<ScanLimit>) {
    this.#msbuild = msbuild;
    this.#fallbackFramework = fallbackFramework;
    this.#limits = limits;
  }

  read(path: string): ProjectWithAlternatives {
    const folder = path.split("/").slice(0, -1);
    const config = configReferences(this.#msbuild.root([...folder, oldReferences].join("/")));
    const builds = this.#evaluate(path, new Map(), (evaluation) => {
      const frameworks = listedFrameworks(evaluation.property("TargetFrameworks"));
      return frameworks.length > 0
        ? { frameworks, own: [] }
        : { frameworks: [], own: [this.#alternative(evaluation, path, config)] };
    });
    const frameworks = [...new Set(builds.flatMap((build) => build.frameworks))];
    if (frameworks.length > scanLimits.frameworksOfProject) this.#limits.add("Projects");
    const inner = frameworks
      .slice(0, scanLimits.frameworksOfProject)
      .flatMap((moniker) =>
        this.#evaluate(path, new Map([["targetframework", moniker]]), (evaluation) =>
          this.#alternative(evaluation, path, config),
        ),
      );
    const alternatives = this.#limited([...builds.flatMap(({ own }) => own), ...inner].flatMap(withOneVersion));
    return {
      path,
      frameworks: [...new Set(alternatives.flatMap((alternative) => alternative.frameworks))],
      references: distinct(alternatives.flatMap(({ references }) => references)),
      pins: distinct(alternatives.flatMap(({ pins }) => pins)),
      alternatives: joined(alternatives),
    };
  }

  #evaluate<Result>(
    path: string,
    fixedProperties: ReadonlyMap<string, string>,
    readResult: (evaluation: MsbuildEvaluation) => Result,
  ): Result[] {
    const most = Math.max(1, Math.min(scanLimits.evaluationsOfFramework, this.#evaluationsLeft));
    const { results, complete } = forAllAnswers(most, (answers) => {
      const evaluation = new MsbuildEvaluation({ files: this.#msbuild, path, answers, fixed: fixedProperties });
      const result = readResult(evaluation);
      for (const limit of evaluation.limits) this.#limits.add(limit);
      return result;
    });
    this.#evaluationsLeft -= results.length;
    if (!complete) this.#limits.add("Conditions");
    return results;
  }

  #alternative(evaluation: MsbuildEvaluation, path: string, config: readonly PackageReference[]): ReferencingProject {
    const frameworks = frameworksOf(evaluation, this.#fallbackFramework);
    const items = evaluation.items(["packagereference", "packageversion", "globalpackagereference"]);
    if (items.some(hasUnknownName)) this.#limits.add("Names");
    const isManaged = flag(evaluation, "ManagePackageVersionsCentrally");
    const versions = isManaged ? versionsOf(items, "packageversion") : new Map<string, PackageReference[]>();
    const references = [...referencesOf(items, { managed: isManaged, versions }), ...config];
    const isPinned = flag(evaluation, "CentralPackageTransitivePinningEnabled");
    return {
      path,
      frameworks,
      references: distinct(references),
      pins: isPinned ? distinct([...versions.values()].flat()) : [],
    };
  }

  #limited(alternatives: readonly ReferencingProject[]): ReferencingProject[] {
    return alternatives.filter(({ references, pins }, at) => {
      // the first one is kept in any case, and limited with the references of all projects
      if (at > 0) this.#referencesLeft -= references.length + pins.length;
      if (this.#referencesLeft < 0) this.#limits.add("Conditions");
      return at === 0 || this.#referencesLeft >= 0;
    });
  }
}

/** The alternatives without what the reference limit has cut. */
function alternativesOf({ references, pins, alternatives }: ProjectWithAlternatives): ReferencingProject[] {
  const [keptReferences, keptPins] = [references, pins].map((list) => new Set(list.map(referenceKey)));
  return alternatives.map((alternative) => ({
    ...alternative,
    references: alternative.references.filter((reference) => keptReferences?.has(referenceKey(reference))),
    pins: alternative.pins.filter((pin) => keptPins?.has(referenceKey(pin))),
  }));
}

/** A restore takes one version for a package. NuGet releases differ in which version they take. */
function withOneVersion(project: ReferencingProject): ReferencingProject[] {
  const [references, pins] = [project.references, project.pins].map((list) =>
    grouped(list, ({ packageName }) => packageName.toLowerCase()),
  );
  const rounds = Math.max(1, ...[...(references ?? []), ...(pins ?? [])].map((versions) => versions.length));
  if (rounds === 1) return [project];
  const referencesOf = (groups: readonly PackageReference[][] | undefined, round: number) =>
    (groups ?? []).flatMap((versions) => versions[Math.min(round, versions.length - 1)] ?? []);
  return Array.from({ length: rounds }, (_, round) => ({
    ...project,
    references: referencesOf(references, round),
    pins: referencesOf(pins, round),
  }));
}

/** Equal alternatives, as one with all their frameworks. */
function joined(alternatives: readonly ReferencingProject[]): ReferencingProject[] {
  const equal = grouped(alternatives, ({ references, pins }) =>
    JSON.stringify([references, pins].map((list) => list.map(referenceKey))),
  );
  return equal.flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, frameworks: [...new Set([first, ...others].flatMap(({ frameworks }) => frameworks))] }],
  );
}

function grouped<Member>(members: readonly Member[], keyOf: (member: Member) => string): Member[][] {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const group = groups.get(keyOf(member));
    if (group === undefined) groups.set(keyOf(member), [member]);
    else group.push(member);
  }
  return [...groups.values()];
}

/** Whether an item may be about packages that nothing tells, for example `@(Others)`. */
function hasUnknownName({ names, operation, metadata }: MsbuildItem): boolean {
  const counts =
    operation !== "Update" || metadata("Version") !== undefined || metadata("VersionOverride") !== undefined;
  return counts && !names.every(isPackageId);
}

interface ReferenceContext {
  readonly managed: boolean;
  readonly versions: ReadonlyMap<string, readonly PackageReference[]>;
}

function referencesOf(items: readonly MsbuildItem[], context: ReferenceContext): PackageReference[] {
  const referencesByKey = versionsOf(items, "packagereference", context.managed ? "VersionOverride" : "Version");
  const projectReferences = [...referencesByKey].flatMap(([key, references]): readonly PackageReference[] => {
    const statedReferences = references.filter(({ requested }) => requested !== null);
    if (statedReferences.length > 0) return statedReferences;
    const central = context.versions.get(key) ?? [];
    return central.length > 0 ? central : references;
  });
  return [...projectReferences, ...[...versionsOf(items, "globalpackagereference").values()].flat()];
}

/** The items of a kind, by package name in lower case: an update changes them, and a removal removes them. */
function versionsOf(items: readonly MsbuildItem[], kind: string, member = "Version"): Map<string, PackageReference[]> {
  const references = new Map<string, PackageReference[]>();
  for (const item of items) {
    if (item.kind !== kind) continue;
    const requestedVersion = item.metadata(member)?.slice(0, maxRequestedLength).toWellFormed() ?? null;
    for (const packageName of item.names) {
      const key = packageName.toLowerCase();
      if (!isPackageId(packageName)) continue;
      const earlierReferences = references.get(key) ?? [];
      if (item.operation === "Include")
        references.set(key, [...earlierReferences, { packageName, requested: requestedVersion }]);
      else if (item.operation === "Remove") references.delete(key);
      else if (requestedVersion !== null && earlierReferences.length > 0)
        references.set(key, [{ packageName, requested: requestedVersion }]);
    }
  }
  return references;
}

function configReferences(root: XmlElement | undefined): PackageReference[] {
  return (root?.children ?? []).flatMap((element) => {
    const packageName = attributeOf(element, "id")?.value.trim() ?? "";
    // a packages.config names one exact version
    const version = attributeOf(element, "version")?.value.trim().slice(0, maxRequestedLength).toWellFormed();
    return element.name === "package" && isPackageId(packageName) ? [{ packageName, requested: version || null }] : [];
  });
}

function listedFrameworks(text: string | undefined): string[] {
  return (text ?? "")
    .split(";")
    .map((moniker) => moniker.trim())
    .filter((moniker) => moniker !== "");
}

function frameworksOf(evaluation: MsbuildEvaluation, fallback: string): string[] {
  const statedMonikers = listedFrameworks(evaluation.property("TargetFramework"));
  const old = evaluation.property("TargetFrameworkVersion");
  const monikers =
    statedMonikers.length > 0 ? statedMonikers : old === undefined ? [] : [`.NETFramework,Version=${old}`];
  const frameworks = monikers.flatMap((moniker) => {
    const framework = parseFramework(moniker);
    return framework === undefined ? [] : [frameworkName(framework)];
  });
  return frameworks.length > 0 ? [...new Set(frameworks)] : [fallback];
}

function flag(evaluation: MsbuildEvaluation, name: string): boolean {
  return evaluation.property(name)?.toLowerCase() === "true";
}

function distinct(references: readonly PackageReference[]): PackageReference[] {
  return [...new Map(references.map((reference) => [referenceKey(reference), reference])).values()];
}

function referenceKey({ packageName, requested }: PackageReference): string {
  return `${packageName.toLowerCase()}|${requested ?? ""}`;
}
