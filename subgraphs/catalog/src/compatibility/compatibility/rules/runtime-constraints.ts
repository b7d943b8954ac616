import { compareParts } from "@factory/nuget/four-parts";
import { type Framework, frameworkName, parseFramework } from "@factory/nuget/framework";
import { memberName } from "@factory/nuget/graph-members";
import { formatVersion, type NugetVersion, parseVersion } from "@factory/nuget/version";
import { describeRange, isAbove, parseRange, type VersionRange } from "@factory/nuget/version-range";
import type { Member, Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { findAlternatives, findNearReleases, findRuntimesWhere, movesToReleases } from "../moves/candidates.js";
import type { Move } from "../moves/move.js";
import { templateMoves } from "../moves/template-moves.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

/** Finds a runtime that is newer than the template's SDKs can build, or newer than a library supports. */
export function findUnmetConstraints(context: EvaluationContext): Finding[] {
  return [...templateConstraint(context), ...context.members.flatMap((member) => runtimeBound(context, member))];
}

function templateConstraint(context: EvaluationContext): Finding[] {
  const { template, project, input } = context;
  if (template === undefined || admits(template, project)) return [];
  const sdkRequirements = (template.sdkVersions ?? []).map(inWords);
  const detail = `Template version ${template.semanticVersion} requires the .NET SDK ${joinNames(sdkRequirements)}, which cannot build ${frameworkName(input.runtime)}.`;
  const moves = (): Move[][] => [
    ...templateMoves(context, (version) => admits(version, project)),
    findRuntimesWhere(context, (runtime) => admits(template, runtime)),
  ];
  return [{ rule: "RuntimeConstraintNotMet", subject: "", packageName: "", detail, moves }];
}

// an SDK builds its own runtime, all earlier ones, and every .NET Framework
function admits({ sdkVersions = [] }: TemplateVersionSide, runtime: Framework): boolean {
  if (runtime.identifier !== ".NETCoreApp" || runtime.version[0] < 2) return true;
  const [major, minor] = runtime.version;
  const first: NugetVersion = { parts: [major, minor, 100, 0], labels: [] };
  const readable = sdkVersions.flatMap((text) => sdkRange(text) ?? []);
  return readable.length === 0 || readable.some((range) => reaches(range, first));
}

// unlike in a package reference, a version without brackets means exactly that version
function sdkRange(text: string): VersionRange | undefined {
  return parseRange(parseVersion(text) === undefined ? text : `[${text.trim()}]`);
}

function reaches(range: VersionRange, first: NugetVersion): boolean {
  if (isAbove(range, first)) return false;
  const { floating } = range;
  if (floating === undefined) return true;
  for (let part = 0; part < floating.fixedParts; part += 1) {
    const difference = (floating.least.parts[part] ?? 0) - (first.parts[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function inWords(text: string): string {
  const version = parseVersion(text);
  if (version !== undefined) return formatVersion(version);
  const range = parseRange(text);
  return range === undefined ? text : describeRange(range);
}

function runtimeBound(context: EvaluationContext, member: Member): Finding[] {
  const { release, direct, key, text, packageName } = member;
  const last = release && lastRuntime(release);
  const { project, input } = context;
  if (release === undefined || last === undefined || isWithin(release, project)) return [];
  const detail = `${memberName(member)} supports runtimes up to ${frameworkName(last)}, but the runtime is ${frameworkName(input.runtime)}.`;
  const moves = (): Move[][] => [
    movesToReleases(
      member,
      findNearReleases(context, release.library, {
        from: release.version,
        test: (candidate) => isWithin(candidate, project),
      }),
    ),
    direct ? findAlternatives(context, release.library, text) : [],
    findRuntimesWhere(context, (runtime) => isWithin(release, runtime)),
  ];
  return [{ rule: "RuntimeConstraintNotMet", subject: `${key}|${text}`, packageName, detail, moves }];
}

function lastRuntime({ registered }: Release): Framework | undefined {
  return registered.maxRuntime == null ? undefined : parseFramework(registered.maxRuntime);
}

// the limit does not apply to other families
function isWithin(release: Release, { identifier, version }: Framework): boolean {
  const last = lastRuntime(release);
  return last === undefined || last.identifier !== identifier || compareParts(version, last.version) <= 0;
}
