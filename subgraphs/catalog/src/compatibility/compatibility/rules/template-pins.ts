import { releaseName } from "@factory/nuget/release";
import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, parseRange, satisfies } from "@factory/nuget/version-range";
import type { Edge, ListedLibrary } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { TemplatePin, TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { findNearReleases, movesToReleases } from "../moves/candidates.js";
import { changeVersion, type Move } from "../moves/move.js";
import { templateMoves } from "../moves/template-moves.js";
import { onlyWarns } from "./dependencies.js";
import type { Finding } from "./finding.js";

/** Finds packages that the template's own projects reference in another version than the set lists or requires. */
export function findDifferentPins(context: EvaluationContext): Finding[] {
  const pins = [...(context.template?.pins ?? [])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const seenKeys = new Set<string>();
  return pins.flatMap((pin) => {
    const version = parseVersion(pin.version);
    // template validation reports a package that is pinned twice
    if (version === undefined || seenKeys.has(keyOf(pin))) return [];
    seenKeys.add(keyOf(pin));
    const listedEntries = context.listed.filter(({ key }) => key === keyOf(pin));
    const [entry] = listedEntries;
    if (entry === undefined) return findRequiredDifferently(context, pin, version);
    // a package listed twice must first be listed once
    return listedEntries.length > 1 ? [] : findListedDifferently(context, pin, entry);
  });
}

function findListedDifferently(context: EvaluationContext, pin: TemplatePin, entry: ListedLibrary): Finding[] {
  const { version, library, packageName, text, key } = entry;
  if (version === undefined || serves(pin, version)) return [];
  const pinnedVersion = parseVersion(pin.version);
  const higher = pinnedVersion !== undefined && compareVersions(pinnedVersion, version) > 0;
  const detail = `Template version ${templateName(context)} itself references ${packageName} ${pinText(pin)}, but the set lists ${text}.`;
  const moves = (): Move[][] => {
    const toPin = [changeVersion(packageName, [text, registeredText(context, pin)])];
    const near =
      library === undefined
        ? []
        : findNearReleases(context, library, { from: version, test: (release) => serves(pin, release.version) });
    const align = [...movesToReleases({ direct: true, release: entry.release }, near), ...toPin];
    const others = templateMoves(context, (other) => pinServes(other, key, version));
    // both sides most likely work with the higher version
    return higher ? [align, ...others] : [...others, align];
  };
  return [{ rule: "TemplatePinsDifferentVersion", subject: key, packageName, detail, moves }];
}

function findRequiredDifferently(context: EvaluationContext, pin: TemplatePin, version: NugetVersion): Finding[] {
  const misses = ({ range }: Edge) => isBelow(range, version) || isAbove(range, version);
  const brokenEdges = context.graph.edges.filter((edge) => edge.key === keyOf(pin) && misses(edge));
  return brokenEdges.map((edge) => {
    const { from, path, packageName, range, key } = edge;
    const chain = path.map(releaseName).join(" → ");
    const detail = `${chain} requires ${packageName} ${describeRange(range)}, but template version ${templateName(context)} itself references ${pinText(pin)}.${isAbove(range, version) ? ` ${onlyWarns}` : ""}`;
    const [head] = path;
    const moves = (): Move[][] => [
      ...templateMoves(context, (other) => pinAnswers(other, edge)),
      head === undefined
        ? []
        : movesToReleases(
            { direct: true, release: head },
            findNearReleases(context, head.library, { from: head.version }),
          ),
    ];
    return {
      rule: "TemplatePinsDifferentVersion" as const,
      subject: `${from.library.key}|${key}`,
      packageName: from.library.packageName,
      detail,
      moves,
    };
  });
}

function keyOf({ packageName }: TemplatePin): string {
  return packageName.toLowerCase();
}

function serves({ version, range }: TemplatePin, listedVersion: NugetVersion): boolean {
  const wide = range == null ? undefined : parseRange(range);
  if (wide !== undefined) return satisfies(wide, listedVersion);
  const pinnedVersion = parseVersion(version);
  return pinnedVersion === undefined || compareVersions(pinnedVersion, listedVersion) === 0;
}

function pinServes({ pins = [] }: TemplateVersionSide, key: string, listedVersion: NugetVersion): boolean {
  return pins.filter((pin) => keyOf(pin) === key).every((pin) => serves(pin, listedVersion));
}

function pinAnswers({ pins = [] }: TemplateVersionSide, { key, range }: Edge): boolean {
  return pins
    .filter((pin) => keyOf(pin) === key)
    .every((pin) => {
      const version = parseVersion(pin.version);
      return version === undefined || satisfies(range, version);
    });
}

function pinText({ version, range }: TemplatePin): string {
  const wide = range == null ? undefined : parseRange(range);
  return wide === undefined ? version : `${version} (${describeRange(wide)})`;
}

// the version as it is registered, where it is
function registeredText({ snapshot }: EvaluationContext, pin: TemplatePin): string {
  const pinnedVersion = parseVersion(pin.version);
  const releases = snapshot.library(keyOf(pin))?.releases ?? [];
  const pinnedRelease = releases.find(
    ({ version }) => pinnedVersion !== undefined && compareVersions(version, pinnedVersion) === 0,
  );
  return pinnedRelease?.text ?? (pinnedVersion === undefined ? pin.version : formatVersion(pinnedVersion));
}

function templateName({ template }: EvaluationContext): string {
  return template?.semanticVersion ?? "";
}
