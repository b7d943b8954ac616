import { editDistance } from "@factory/runtime/input-validation/edit-distance";
import type { ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findAlternatives, findNearReleases, findReleasesOf, movesToReleases } from "../moves/candidates.js";
import { changeVersion, keepOnlyVersion, type Move, replace } from "../moves/move.js";
import { compareLists } from "../moves/version-distance.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

const maxNamedVersions = 5;
const maxEdits = 2;

export function findDuplicates({ listed: entries, snapshot, project }: EvaluationContext): Finding[] {
  const packages = [...new Set(entries.map(({ key }) => key))].map((key) =>
    entries.filter((entry) => entry.key === key),
  );
  return packages.flatMap((entries) => {
    const times = entries.reduce((sum, entry) => sum + entry.listed, 0);
    const [first] = entries;
    if (times < 2 || first === undefined) return [];
    const versions = entries.map(({ text }) => text);
    const detail = `${first.packageName} is listed ${times} times, as ${joinNames(versions)}. A project can reference a package only once.`;
    // the versions that the project can use come first, the highest before the lower
    const usable = entries.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)));
    const moves = () => [
      usable.map(({ packageName, text }) => keepOnlyVersion(packageName, [otherThan(text, versions), text])),
    ];
    return [{ rule: "LibraryDuplicated", subject: first.key, packageName: first.packageName, detail, moves }];
  });

  function isUsable({ release }: ListedLibrary): boolean {
    return release !== undefined && snapshot.supports(release, project);
  }
}

function otherThan(keptVersion: string, versions: readonly string[]): string | null {
  const others = versions.filter((version) => version !== keptVersion);
  return others.length > 1 ? null : (others[0] ?? keptVersion);
}

/** Finds unregistered packages where the input asks for it; otherwise they are advisories. */
export function findUnregistered(context: EvaluationContext): Finding[] {
  if (context.input.unknownLibraries !== "violation") return [];
  return context.listed
    .filter(({ library }) => library === undefined)
    .map((entry) => ({
      rule: "LibraryNotRegistered",
      subject: entry.key,
      packageName: entry.packageName,
      detail: `${entry.packageName} is not registered in this catalog.`,
      moves: () => [findMisspelled(context, entry)],
    }));
}

// the name may be misspelled; a longer name may have two wrong letters
function findMisspelled(context: EvaluationContext, { key, packageName, text, version }: ListedLibrary): Move[] {
  const near = context.snapshot
    .libraries()
    .map((library) => ({ library, edits: editDistance(key, library.key, maxEdits) }))
    .filter(({ edits }) => edits <= Math.min(maxEdits, Math.floor(key.length / 4)))
    .sort((a, b) => a.edits - b.edits);
  return near.flatMap(({ library }) => {
    const from = version ?? library.releases.at(-1)?.version;
    const releases = from === undefined ? [] : findNearReleases(context, library, { from });
    return releases.slice(0, 1).map((release) => replace(packageName, library.packageName, [text, release.text]));
  });
}

export function findUnknownVersions(context: EvaluationContext): Finding[] {
  return context.listed.flatMap((entry) => {
    const { key, packageName, library, release, version, text } = entry;
    if (library === undefined || library.releases.length === 0 || release !== undefined) return [];
    const versions = library.releases.map((release) => release.text).toReversed();
    const namedVersions = joinNames(versions.slice(0, maxNamedVersions));
    const more = versions.length > maxNamedVersions ? `, and ${versions.length - maxNamedVersions} more` : "";
    const detail = `${packageName} has no version ${text}. The registered versions are ${namedVersions}${more}.`;
    const from = version ?? library.releases.at(-1)?.version;
    const moves = () =>
      from === undefined
        ? []
        : [
            findNearReleases(context, library, { from }).map((release) =>
              changeVersion(packageName, [text, release.text]),
            ),
          ];
    return [{ rule: "LibraryVersionNotFound", subject: `${key}|${text}`, packageName, detail, moves }];
  });
}

export function findRetired(context: EvaluationContext): Finding[] {
  return context.listed.flatMap((entry) => {
    const { key, packageName, text, release } = entry;
    if (release?.status !== "Retired") return [];
    const detail = `${packageName} ${text} is retired and must not be used any more.`;
    const moves = (): Move[][] => [
      findSuccessors(context, release),
      movesToReleases({ direct: true, release }, nextFirst(context, release)),
      findAlternatives(context, release.library, text),
    ];
    return [{ rule: "LibraryVersionRetired", subject: `${key}|${text}`, packageName, detail, moves }];
  });
}

// the package that the author recommends instead
function findSuccessors(context: EvaluationContext, { registered, library, text }: Release): Move[] {
  const key = registered.deprecation?.alternatePackage?.toLowerCase();
  return findReleasesOf(context, (other) => other.key === key && other !== library).map((next) =>
    replace(library.packageName, next.library.packageName, [text, next.text]),
  );
}

// the corrected version is usually above the retired one
function nextFirst(context: EvaluationContext, { library, version }: Release): Release[] {
  const above = (release: Release) => compareLists(release.version.parts, version.parts) >= 0;
  const near = findNearReleases(context, library, { from: version });
  return [...near.filter(above), ...near.filter((release) => !above(release))];
}
