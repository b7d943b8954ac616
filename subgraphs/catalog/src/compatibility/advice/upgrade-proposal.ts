import { compareVersions } from "@factory/nuget/version";
import type { ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { Finding } from "../rules/finding.js";
import { blockOf, jumpBetween, newerReleases, type UpgradeBlock, type UpgradeProposal } from "./upgrade-step.js";
import type { UpgradeTrials } from "./upgrade-trials.js";

/** A listed package and the versions it may take, the newest first and the present one among them. */
interface Seat {
  readonly entry: ListedLibrary & { release: Release };
  readonly choices: readonly Release[];
}

type Places = readonly number[];

const maxChoices = 12;
const maxPasses = 4;

/** The newest versions found that are compatible together: from the top down, and from the present set up. */
export function proposeUpgrade(
  entries: readonly (ListedLibrary & { release: Release })[],
  trials: UpgradeTrials,
): UpgradeProposal | null {
  if (entries.length === 0) return null;
  const seats = entries.map((entry) => ({ entry, choices: choicesFor(entry.release) }));
  const present = seats.map(({ entry, choices }) => choices.indexOf(entry.release));
  const found = [descend(seats, trials), ascend(seats, present, trials)].flatMap((places) => (places ? [places] : []));
  const [first] = found.toSorted((a, b) => lowered(seats, a) - lowered(seats, b) || sum(a) - sum(b));
  const best = first && climb(seats, first, trials);
  const isChanged = best?.some((place, index) => place !== present[index]);
  return best !== undefined && isChanged ? proposalOf(seats, best, trials) : null;
}

// a version below the present one only where nothing else mends the set
function choicesFor(release: Release): Release[] {
  const { library, version } = release;
  const lower = library.releases.filter(
    (other) => other.status === "Published" && compareVersions(other.version, version) < 0,
  );
  const near = newerReleases(release);
  return [...near.slice(0, maxChoices), release, ...lower.toReversed().slice(0, maxChoices)];
}

function lowered(seats: readonly Seat[], places: Places): number {
  return seats.filter(({ entry, choices }, index) => {
    const release = choices[places[index] ?? 0];
    return release !== undefined && compareVersions(release.version, entry.release.version) < 0;
  }).length;
}

function sum(places: Places): number {
  return places.reduce((total, place) => total + place, 0);
}

function releasesAt(seats: readonly Seat[], places: Places): Release[] {
  return seats.flatMap(({ choices }, index) => choices[places[index] ?? 0] ?? []);
}

/** Everything at its newest; then, while something is broken, one of the packages it is about a step down. */
function descend(seats: readonly Seat[], trials: UpgradeTrials): Places | undefined {
  let places: Places = seats.map(() => 0);
  let findings = trials.findings(releasesAt(seats, places));
  while (findings !== undefined && findings.length > 0) {
    const steps = stepsDown(seats, places, findings);
    let best: { places: Places; findings: readonly Finding[] } | undefined;
    for (const step of steps) {
      const after = trials.findings(releasesAt(seats, step));
      if (after === undefined) return undefined;
      if (best === undefined || after.length < best.findings.length) best = { places: step, findings: after };
    }
    if (best === undefined) return undefined;
    ({ places, findings } = best);
  }
  return findings === undefined ? undefined : places;
}

function stepsDown(seats: readonly Seat[], places: Places, findings: readonly Finding[]): Places[] {
  const about = new Set(findings.flatMap(({ subject }) => subject.split("|")));
  // a package behind the set broke something: the listed ones that bring it in are named in the detail
  const words = findings.map(({ detail }) => ` ${detail.toLowerCase()}`).join(" ");
  const isInvolved = ({ entry }: Seat) => about.has(entry.key) || words.includes(` ${entry.key} `);
  return seats.flatMap((seat, index) => {
    const place = (places[index] ?? 0) + 1;
    return isInvolved(seat) && place < seat.choices.length ? [places.with(index, place)] : [];
  });
}

/** From the present set upwards, one package after the other, as long as nothing gets worse. */
function ascend(seats: readonly Seat[], present: Places, trials: UpgradeTrials): Places | undefined {
  const places = climb(seats, present, trials);
  return trials.findings(releasesAt(seats, places))?.length === 0 ? places : undefined;
}

function climb(seats: readonly Seat[], start: Places, trials: UpgradeTrials): Places {
  let places = start;
  let broken = trials.findings(releasesAt(seats, places))?.length ?? 0;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const before = places;
    for (const [index] of seats.entries()) {
      for (let place = 0; place < (places[index] ?? 0); place += 1) {
        const next = places.with(index, place);
        const after = trials.findings(releasesAt(seats, next))?.length;
        if (after === undefined) return places;
        if (after > broken) continue;
        places = next;
        broken = after;
        break;
      }
    }
    if (before === places) break;
  }
  return places;
}

function proposalOf(seats: readonly Seat[], places: Places, trials: UpgradeTrials): UpgradeProposal {
  const chosen = releasesAt(seats, places);
  const changes: UpgradeProposal["changes"] = [];
  const held: UpgradeProposal["held"] = [];
  for (const [index, { entry, choices }] of seats.entries()) {
    const [newest, to] = [choices[0], chosen[index]];
    if (newest === undefined || to === undefined) continue;
    const { packageName, release } = entry;
    if (to !== release)
      changes.push({ packageName, from: release.text, to: to.text, jump: jumpBetween(release.version, to.version) });
    if (to !== newest)
      held.push({
        packageName,
        version: to.text,
        newest: newest.text,
        notNewer: blockAt(seats, places, { index, newest, trials }),
      });
  }
  return {
    libraries: trials.listed(chosen),
    changes,
    held,
    compatible: trials.findings(chosen)?.length === 0,
  };
}

function blockAt(
  seats: readonly Seat[],
  places: Places,
  { index, newest, trials }: { index: number; newest: Release; trials: UpgradeTrials },
): UpgradeBlock | null {
  const [finding] = trials.findings(releasesAt(seats, places.with(index, 0))) ?? [];
  return finding === undefined ? null : blockOf(finding, newest, trials.snapshot);
}
