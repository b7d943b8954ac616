import { compareVersions } from "@factory/nuget/version";
import type { ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { Finding } from "../rules/finding.js";
import { describeBlock, jumpBetween, newerReleases, type UpgradeBlock, type UpgradeProposal } from "./upgrade-step.js";
import type { UpgradeTrials } from "./upgrade-trials.js";

/** A listed package and the versions it may change to: the newest first, the current one among them. */
interface PackageChoices {
  readonly entry: ListedLibrary & { release: Release };
  readonly choices: readonly Release[];
}

/** The index of each package's version. */
type Selection = readonly number[];

const maxChoices = 12;
const maxPasses = 4;

/**
 * Finds the newest versions that are compatible together: down from each newest version, and up from the current set.
 */
export function proposeUpgrade(
  entries: readonly (ListedLibrary & { release: Release })[],
  trials: UpgradeTrials,
): UpgradeProposal | null {
  if (entries.length === 0) return null;
  const packages = entries.map((entry) => ({ entry, choices: choicesFor(entry.release) }));
  const current = packages.map(({ entry, choices }) => choices.indexOf(entry.release));
  const selections = [searchDown(packages, trials), searchUp(packages, current, trials)].flatMap((selection) =>
    selection ? [selection] : [],
  );
  const [first] = selections.toSorted(
    (a, b) => countLowered(packages, a) - countLowered(packages, b) || sum(a) - sum(b),
  );
  const best = first && climb(packages, first, trials);
  const isChanged = best?.some((choice, index) => choice !== current[index]);
  return best !== undefined && isChanged ? proposalOf(packages, best, trials) : null;
}

// lower versions come last: they are chosen only where no other version resolves the violations
function choicesFor(release: Release): Release[] {
  const { library, version } = release;
  const lower = library.releases.filter(
    (other) => other.status === "Published" && compareVersions(other.version, version) < 0,
  );
  const near = newerReleases(release);
  return [...near.slice(0, maxChoices), release, ...lower.toReversed().slice(0, maxChoices)];
}

function countLowered(packages: readonly PackageChoices[], selection: Selection): number {
  return packages.filter(({ entry, choices }, index) => {
    const release = choices[selection[index] ?? 0];
    return release !== undefined && compareVersions(release.version, entry.release.version) < 0;
  }).length;
}

function sum(selection: Selection): number {
  return selection.reduce((total, choice) => total + choice, 0);
}

function releasesAt(packages: readonly PackageChoices[], selection: Selection): Release[] {
  return packages.flatMap(({ choices }, index) => choices[selection[index] ?? 0] ?? []);
}

/** Starts at the newest versions. While a rule is broken, one package that the finding names goes one version down. */
function searchDown(packages: readonly PackageChoices[], trials: UpgradeTrials): Selection | undefined {
  let selection: Selection = packages.map(() => 0);
  let findings = trials.findings(releasesAt(packages, selection));
  while (findings !== undefined && findings.length > 0) {
    const steps = selectionsOneLower(packages, selection, findings);
    let best: { selection: Selection; findings: readonly Finding[] } | undefined;
    for (const step of steps) {
      const after = trials.findings(releasesAt(packages, step));
      if (after === undefined) return undefined;
      if (best === undefined || after.length < best.findings.length) best = { selection: step, findings: after };
    }
    if (best === undefined) return undefined;
    ({ selection, findings } = best);
  }
  return findings === undefined ? undefined : selection;
}

function selectionsOneLower(
  packages: readonly PackageChoices[],
  selection: Selection,
  findings: readonly Finding[],
): Selection[] {
  const about = new Set(findings.flatMap(({ subject }) => subject.split("|")));
  // a transitive dependency may break the rule; the detail then names the listed packages that bring it in
  const words = findings.map(({ detail }) => ` ${detail.toLowerCase()}`).join(" ");
  const isInvolved = ({ entry }: PackageChoices) => about.has(entry.key) || words.includes(` ${entry.key} `);
  return packages.flatMap((choosable, index) => {
    const choice = (selection[index] ?? 0) + 1;
    return isInvolved(choosable) && choice < choosable.choices.length ? [selection.with(index, choice)] : [];
  });
}

/** Starts at the current set and raises one package at a time. It keeps a change that adds no finding. */
function searchUp(
  packages: readonly PackageChoices[],
  current: Selection,
  trials: UpgradeTrials,
): Selection | undefined {
  const selection = climb(packages, current, trials);
  return trials.findings(releasesAt(packages, selection))?.length === 0 ? selection : undefined;
}

function climb(packages: readonly PackageChoices[], start: Selection, trials: UpgradeTrials): Selection {
  let selection = start;
  let brokenRules = trials.findings(releasesAt(packages, selection))?.length ?? 0;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const before = selection;
    for (const [index] of packages.entries()) {
      for (let choice = 0; choice < (selection[index] ?? 0); choice += 1) {
        const next = selection.with(index, choice);
        const after = trials.findings(releasesAt(packages, next))?.length;
        if (after === undefined) return selection;
        if (after > brokenRules) continue;
        selection = next;
        brokenRules = after;
        break;
      }
    }
    if (before === selection) break;
  }
  return selection;
}

function proposalOf(packages: readonly PackageChoices[], selection: Selection, trials: UpgradeTrials): UpgradeProposal {
  const chosenReleases = releasesAt(packages, selection);
  const changes: UpgradeProposal["changes"] = [];
  const heldPackages: UpgradeProposal["held"] = [];
  for (const [index, { entry, choices }] of packages.entries()) {
    const [newest, to] = [choices[0], chosenReleases[index]];
    if (newest === undefined || to === undefined) continue;
    const { packageName, release } = entry;
    if (to !== release)
      changes.push({ packageName, from: release.text, to: to.text, jump: jumpBetween(release.version, to.version) });
    if (to !== newest)
      heldPackages.push({
        packageName,
        version: to.text,
        newest: newest.text,
        notNewer: blockOfNewest(packages, selection, { index, newest, trials }),
      });
  }
  return {
    libraries: trials.listed(chosenReleases),
    changes,
    held: heldPackages,
    compatible: trials.findings(chosenReleases)?.length === 0,
  };
}

function blockOfNewest(
  packages: readonly PackageChoices[],
  selection: Selection,
  { index, newest, trials }: { index: number; newest: Release; trials: UpgradeTrials },
): UpgradeBlock | null {
  const [finding] = trials.findings(releasesAt(packages, selection.with(index, 0))) ?? [];
  return finding === undefined ? null : describeBlock(finding, newest, trials.snapshot);
}
