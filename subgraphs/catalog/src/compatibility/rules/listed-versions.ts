import { editDistance } from "../parameters/edit-distance.js";
import { type Entry, entryName } from "@factory/nuget/listed-package";
import type { Release } from "@factory/nuget/package-snapshot";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import type { Move } from "../evaluation/evaluation-input.js";
import { alternatives, compareLists, moveTo, offering, releasesNear } from "../moves/candidates.js";
import { changeVersion, keepOnly, replace } from "../moves/move.js";

const mostNamedVersions = 5;
const mostEdits = 2;

export function duplicated({ entries, snapshot, project }: Situation): Finding[] {
  const packages = [...new Set(entries.map(({ key }) => key))].map((key) =>
    entries.filter((entry) => entry.key === key),
  );
  return packages.flatMap((listed) => {
    const times = listed.reduce((sum, entry) => sum + entry.listed, 0);
    const [first] = listed;
    if (times < 2 || first === undefined) return [];
    const versions = listed.map(({ text }) => text);
    const detail = `${first.packageName} is listed ${times} times, as ${sentence(versions)}; a project references a package once.`;
    // the highest that the project can use, then the highest
    const usable = listed.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)));
    const moves = () => [
      usable.map(({ packageName, text }) => keepOnly(packageName, [otherThan(text, versions), text])),
    ];
    return [{ rule: "LibraryDuplicated", subject: first.key, packageName: first.packageName, detail, moves }];
  });

  function isUsable({ release }: Entry): boolean {
    return release !== undefined && snapshot.supports(release, project);
  }
}

function otherThan(kept: string, versions: readonly string[]): string | null {
  const others = versions.filter((version) => version !== kept);
  return others.length > 1 ? null : (others[0] ?? kept);
}

/** Only where a tenant asks for it: without that, an unknown package is an advisory. */
export function notRegistered(situation: Situation): Finding[] {
  if (situation.input.unknownLibraries !== "violation") return [];
  return situation.entries
    .filter(({ library }) => library === undefined)
    .map((entry) => ({
      rule: "LibraryNotRegistered",
      subject: entry.key,
      packageName: entry.packageName,
      detail: `${entry.packageName} is not registered in this catalog.`,
      moves: () => [misspelt(situation, entry)],
    }));
}

// the name may be a slip of the pen; a longer name may have two
function misspelt(situation: Situation, { key, packageName, text, version }: Entry): Move[] {
  const near = situation.snapshot
    .libraries()
    .map((library) => ({ library, edits: editDistance(key, library.key, mostEdits) }))
    .filter(({ edits }) => edits <= Math.min(mostEdits, Math.floor(key.length / 4)))
    .sort((a, b) => a.edits - b.edits);
  return near.flatMap(({ library }) => {
    const from = version ?? library.releases.at(-1)?.version;
    const releases = from === undefined ? [] : releasesNear(situation, library, { from });
    return releases.slice(0, 1).map((release) => replace(packageName, library.packageName, [text, release.text]));
  });
}

export function versionNotFound(situation: Situation): Finding[] {
  return situation.entries.flatMap((entry) => {
    const { key, packageName, library, release, version, text } = entry;
    if (library === undefined || library.releases.length === 0 || release !== undefined) return [];
    const known = library.releases.map((one) => one.text).toReversed();
    const named = sentence(known.slice(0, mostNamedVersions));
    const more = known.length > mostNamedVersions ? `, and ${known.length - mostNamedVersions} more` : "";
    const detail = `${packageName} has no version ${text}; registered are ${named}${more}.`;
    const from = version ?? library.releases.at(-1)?.version;
    const moves = () =>
      from === undefined
        ? []
        : [releasesNear(situation, library, { from }).map((one) => changeVersion(packageName, [text, one.text]))];
    return [{ rule: "LibraryVersionNotFound", subject: `${key}|${text}`, packageName, detail, moves }];
  });
}

export function retired(situation: Situation): Finding[] {
  return situation.entries.flatMap((entry) => {
    const { key, packageName, text, release } = entry;
    if (release?.status !== "Retired") return [];
    const detail = `${entryName(entry)} is retired and not to be used any more.`;
    const moves = (): Move[][] => [
      successors(situation, release),
      moveTo({ direct: true, release }, nextFirst(situation, release)),
      alternatives(situation, release.library, text),
    ];
    return [{ rule: "LibraryVersionRetired", subject: `${key}|${text}`, packageName, detail, moves }];
  });
}

// the package that its author names instead
function successors(situation: Situation, { registered, library, text }: Release): Move[] {
  const key = registered.deprecation?.alternatePackage?.toLowerCase();
  return offering(situation, (other) => other.key === key && other !== library).map((next) =>
    replace(library.packageName, next.library.packageName, [text, next.text]),
  );
}

// what was repaired stands above what is retired
function nextFirst(situation: Situation, { library, version }: Release): Release[] {
  const above = (release: Release) => compareLists(release.version.parts, version.parts) >= 0;
  const near = releasesNear(situation, library, { from: version });
  return [...near.filter(above), ...near.filter((release) => !above(release))];
}

export function sentence(names: readonly string[]): string {
  const last = names.at(-1) ?? "none";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
