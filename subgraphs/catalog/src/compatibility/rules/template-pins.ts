import { releaseName } from "@factory/nuget/release";
import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, parseRange, satisfies } from "@factory/nuget/version-range";
import type { Edge, ListedLibrary } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { TemplatePin, TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { moveTo, releasesNear } from "../moves/candidates.js";
import { changeVersion, type Move } from "../moves/move.js";
import { templateMoves } from "../moves/template-moves.js";
import { onlyWarns } from "./dependencies.js";
import type { Finding } from "./finding.js";

/** The template's own projects reference a package in another version than the set lists or asks for. */
export function pinnedOtherwise(context: EvaluationContext): Finding[] {
  const pins = [...(context.template?.pins ?? [])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const seen = new Set<string>();
  return pins.flatMap((pin) => {
    const version = parseVersion(pin.version);
    // a template that pins a package twice is a matter of its validation
    if (version === undefined || seen.has(keyOf(pin))) return [];
    seen.add(keyOf(pin));
    const listed = context.listed.filter(({ key }) => key === keyOf(pin));
    const [entry] = listed;
    if (entry === undefined) return askedOtherwise(context, pin, version);
    // listed twice it has to be listed once first
    return listed.length > 1 ? [] : listedOtherwise(context, pin, entry);
  });
}

function listedOtherwise(context: EvaluationContext, pin: TemplatePin, entry: ListedLibrary): Finding[] {
  const { version, library, packageName, text, key } = entry;
  if (version === undefined || serves(pin, version)) return [];
  const pinned = parseVersion(pin.version);
  const higher = pinned !== undefined && compareVersions(pinned, version) > 0;
  const detail = `Template version ${templateName(context)} itself references ${packageName} ${pinText(pin)}, but the set lists ${text}.`;
  const moves = (): Move[][] => {
    const toPin = [changeVersion(packageName, [text, registeredText(context, pin)])];
    const near =
      library === undefined
        ? []
        : releasesNear(context, library, { from: version, test: (one) => serves(pin, one.version) });
    const align = [...moveTo({ direct: true, release: entry.release }, near), ...toPin];
    const others = templateMoves(context, (other) => pinServes(other, key, version));
    // the higher of the two is what both sides can agree on
    return higher ? [align, ...others] : [...others, align];
  };
  return [{ rule: "TemplatePinsDifferentVersion", subject: key, packageName, detail, moves }];
}

function askedOtherwise(context: EvaluationContext, pin: TemplatePin, version: NugetVersion): Finding[] {
  const misses = ({ range }: Edge) => isBelow(range, version) || isAbove(range, version);
  const broken = context.graph.edges.filter((edge) => edge.key === keyOf(pin) && misses(edge));
  return broken.map((edge) => {
    const { from, path, packageName, range, key } = edge;
    const chain = path.map(releaseName).join(" → ");
    const detail = `${chain} requires ${packageName} ${describeRange(range)}, but template version ${templateName(context)} itself references ${pinText(pin)}.${isAbove(range, version) ? ` ${onlyWarns}` : ""}`;
    const [head] = path;
    const moves = (): Move[][] => [
      ...templateMoves(context, (other) => pinAnswers(other, edge)),
      head === undefined
        ? []
        : moveTo({ direct: true, release: head }, releasesNear(context, head.library, { from: head.version })),
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
function registeredText({ snapshot }: EvaluationContext, pin: TemplatePin): string {
  const pinned = parseVersion(pin.version);
  const releases = snapshot.library(keyOf(pin))?.releases ?? [];
  const found = releases.find(({ version }) => pinned !== undefined && compareVersions(version, pinned) === 0);
  return found?.text ?? (pinned === undefined ? pin.version : formatVersion(pinned));
}

function templateName({ template }: EvaluationContext): string {
  return template?.semanticVersion ?? "";
}
