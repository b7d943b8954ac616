import type { Entry } from "@factory/nuget/listed-package";
import { releaseName } from "@factory/nuget/package-snapshot";
import type { Edge } from "@factory/nuget/restore-walk";
import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, parseRange, satisfies } from "@factory/nuget/version-range";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import type { Move, TemplatePin, TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { moveTo, releasesNear } from "../moves/candidates.js";
import { changeVersion } from "../moves/move.js";
import { onlyWarned } from "./dependencies.js";
import { templateMoves } from "./framework-support.js";

/** The template's own projects reference a package in another version than the set lists or asks for. */
export function pinnedOtherwise(situation: Situation): Finding[] {
  const pins = [...(situation.template?.pins ?? [])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const seen = new Set<string>();
  return pins.flatMap((pin) => {
    const version = parseVersion(pin.version);
    // a template that pins a package twice is a matter of its validation
    if (version === undefined || seen.has(keyOf(pin))) return [];
    seen.add(keyOf(pin));
    const listed = situation.entries.filter(({ key }) => key === keyOf(pin));
    const [entry] = listed;
    if (entry === undefined) return askedOtherwise(situation, pin, version);
    // listed twice it has to be listed once first
    return listed.length > 1 ? [] : listedOtherwise(situation, pin, entry);
  });
}

function listedOtherwise(situation: Situation, pin: TemplatePin, entry: Entry): Finding[] {
  const { version, library, packageName, text, key } = entry;
  if (version === undefined || serves(pin, version)) return [];
  const pinned = parseVersion(pin.version);
  const higher = pinned !== undefined && compareVersions(pinned, version) > 0;
  const detail = `Template version ${templateName(situation)} itself references ${packageName} ${pinText(pin)}; the set lists ${text}.`;
  const moves = (): Move[][] => {
    const toPin = [changeVersion(packageName, [text, registeredText(situation, pin)])];
    const near =
      library === undefined
        ? []
        : releasesNear(situation, library, { from: version, test: (one) => serves(pin, one.version) });
    const align = [...moveTo({ direct: true, release: entry.release }, near), ...toPin];
    const others = templateMoves(situation, (other) => pinServes(other, key, version));
    // the higher of the two is what both sides can agree on
    return higher ? [align, ...others] : [...others, align];
  };
  return [{ rule: "TemplatePinsDifferentVersion", subject: key, packageName, detail, moves }];
}

function askedOtherwise(situation: Situation, pin: TemplatePin, version: NugetVersion): Finding[] {
  const misses = ({ range }: Edge) => isBelow(range, version) || isAbove(range, version);
  const broken = situation.graph.edges.filter((edge) => edge.key === keyOf(pin) && misses(edge));
  return broken.map((edge) => {
    const { from, path, packageName, range, key } = edge;
    const chain = path.map(releaseName).join(" → ");
    const detail = `${chain} requires ${packageName} ${describeRange(range)}, but template version ${templateName(situation)} itself references ${pinText(pin)}.${isAbove(range, version) ? ` ${onlyWarned}` : ""}`;
    const [head] = path;
    const moves = (): Move[][] => [
      ...templateMoves(situation, (other) => pinAnswers(other, edge)),
      head === undefined
        ? []
        : moveTo({ direct: true, release: head }, releasesNear(situation, head.library, { from: head.version })),
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

function serves({ version, range }: TemplatePin, listed: NugetVersion): boolean {
  const wide = range == null ? undefined : parseRange(range);
  if (wide !== undefined) return satisfies(wide, listed);
  const pinned = parseVersion(version);
  return pinned === undefined || compareVersions(pinned, listed) === 0;
}

function pinServes({ pins = [] }: TemplateVersionSide, key: string, listed: NugetVersion): boolean {
  return pins.filter((pin) => keyOf(pin) === key).every((pin) => serves(pin, listed));
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

// the spelling under which the version is registered, if it is
function registeredText({ snapshot }: Situation, pin: TemplatePin): string {
  const pinned = parseVersion(pin.version);
  const releases = snapshot.library(keyOf(pin))?.releases ?? [];
  const found = releases.find(({ version }) => pinned !== undefined && compareVersions(version, pinned) === 0);
  return found?.text ?? (pinned === undefined ? pin.version : formatVersion(pinned));
}

function templateName({ template }: Situation): string {
  return template?.semanticVersion ?? "";
}
