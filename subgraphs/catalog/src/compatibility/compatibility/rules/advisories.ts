import { frameworkName, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import { memberName } from "@factory/nuget/graph-members";
import { releaseName } from "@factory/nuget/release";
import { lastDayOfSupport } from "@factory/nuget/support-lifecycle";
import { compareText } from "@factory/nuget/text-order";
import { isPrerelease } from "@factory/nuget/version";
import { describeRange } from "@factory/nuget/version-range";
import type { ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { AdvisoryCode } from "./rule-names.js";

/** A note about the set that never makes it incompatible. */
export interface SetAdvisory {
  code: AdvisoryCode;
  detail: string;
  packageName: string | null;
}

// NuGet falls back to assets that the last .NET Framework can use
const lastFramework = parseFramework("net481");

/** Finds everything that callers should know although it breaks no rule. Ordered by package, then by code. */
export function findAdvisories(context: EvaluationContext): SetAdvisory[] {
  const advisories = [
    ...templateAdvisories(context),
    ...context.listed.flatMap((entry) => entryAdvisories(context, entry)),
    ...unknownDependencies(context),
    ...vulnerabilities(context),
    ...endOfLife(context),
  ];
  return advisories.sort(
    (a, b) =>
      compareText(a.packageName?.toLowerCase() ?? "", b.packageName?.toLowerCase() ?? "") ||
      compareText(a.code, b.code) ||
      compareText(a.detail, b.detail),
  );
}

function templateAdvisories({ template }: EvaluationContext): SetAdvisory[] {
  if (template === undefined) return [];
  const name = `Template version ${template.semanticVersion}`;
  if (template.status === "Deprecated")
    return [{ code: "TemplateVersionDeprecated", detail: `${name} is deprecated.`, packageName: null }];
  if (template.status !== "Draft") return [];
  return [{ code: "TemplateVersionDraft", detail: `${name} is a draft and may still be replaced.`, packageName: null }];
}

function entryAdvisories(context: EvaluationContext, entry: ListedLibrary): SetAdvisory[] {
  const { packageName, text, library, release } = entry;
  const advise = (code: AdvisoryCode, detail: string) => ({ code, detail, packageName });
  if (library === undefined)
    return context.input.unknownLibraries === "violation"
      ? []
      : [advise("LibraryUnknown", `${packageName} is not registered in this catalog, so ${text} was not checked.`)];
  if (library.releases.length === 0)
    return [
      advise("LibraryVersionUnknown", `${packageName} is registered without versions, so ${text} was not checked.`),
    ];
  if (release === undefined) return [];
  const advisories: SetAdvisory[] = [];
  if (release.status === "Deprecated" || release.registered.deprecation)
    advisories.push(advise("LibraryVersionDeprecated", `${packageName} ${text} is deprecated${because(release)}.`));
  if (isPrerelease(release.version))
    advisories.push(advise("LibraryVersionPrerelease", `${packageName} ${text} is a prerelease.`));
  if (isFallback(context, release)) advisories.push(advise("TargetFallbackUsed", fallbackDetail(context, release)));
  return advisories;
}

function because({ registered }: Release): string {
  const { reason = null, message = null, alternatePackage = null } = registered.deprecation ?? {};
  const why = [reason, message].filter(Boolean).join(": ").replace(/\.+$/, "");
  const instead = alternatePackage === null ? "" : `. Use ${alternatePackage} instead`;
  return `${why === "" ? "" : ` (${why})`}${instead}`;
}

// NU1901 to NU1904, also for transitive dependencies
function vulnerabilities(context: EvaluationContext): SetAdvisory[] {
  return context.members.flatMap((member) =>
    (member.release?.registered.vulnerabilities ?? []).map(({ severity, advisoryUrl }) => ({
      code: "LibraryVulnerable" as const,
      detail: `${memberName(member)} has a known vulnerability of ${severity.toLowerCase()} severity: ${advisoryUrl}`,
      packageName: member.packageName,
    })),
  );
}

function endOfLife({ input }: EvaluationContext): SetAdvisory[] {
  const last = lastDayOfSupport(input.runtime);
  if (last === undefined || input.now === undefined || input.now.toISOString().slice(0, 10) <= last) return [];
  const detail = `Support of ${frameworkName(input.runtime)} ended on ${last}.`;
  return [{ code: "RuntimeEndOfLife", detail, packageName: null }];
}

// NU1701: a restore takes it with a warning, although it may not run
function isFallback({ project, snapshot }: EvaluationContext, release: Release): boolean {
  if (project.identifier !== ".NETCoreApp" || project.version[0] < 2 || lastFramework === undefined) return false;
  return (
    !snapshot.supports(release, project) &&
    snapshot.frameworksOf(release).some((asset) => isCompatible(lastFramework, asset))
  );
}

function fallbackDetail({ input }: EvaluationContext, release: Release): string {
  const runtime = frameworkName(input.runtime);
  return `A restore for ${runtime} would take the .NET Framework assets of ${releaseName(release)} with warning NU1701. It is not known whether they run.`;
}

function unknownDependencies({ graph, input }: EvaluationContext): SetAdvisory[] {
  if (input.unknownLibraries === "violation") return [];
  const details = new Map(
    graph.unknown.map(({ from, packageName, range }) => {
      const detail = `${releaseName(from)} requires ${packageName} ${describeRange(range)}. This catalog has no version of ${packageName}, so it was not checked.`;
      return [detail, { code: "LibraryUnknown" as const, detail, packageName }];
    }),
  );
  return [...details.values()];
}
