import type { Framework } from "@factory/nuget/framework";
import { lookUpPackages } from "@factory/nuget/listed-package";
import type { PackageIdentity } from "@factory/nuget/package-metadata";
import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import type { VersionJump } from "@factory/schema/vocabularies/libraries";
import type { CatalogLibrary, ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { EvaluationInput, TemplateSide } from "../evaluation/evaluation-input.js";
import { proposeUpgrade } from "./upgrade-proposal.js";
import { describeBlock, jumpBetween, newerReleases, type UpgradeBlock, type UpgradeProposal } from "./upgrade-step.js";
import { UpgradeTrials } from "./upgrade-trials.js";

/** Everything that an upgrade advice depends on. */
export interface UpgradeInput {
  runtime: Framework;
  libraries: readonly PackageIdentity[];
  /** By package name in lower case: the set, and everything that its versions depend on. */
  catalog: ReadonlyMap<string, CatalogLibrary>;
  template?: TemplateSide;
  now?: Date;
  unknownLibraries?: "advisory" | "violation";
}

/** The newest Published version that one package can take while nothing else in the set changes. */
interface PackageUpgrade {
  packageName: string;
  from: string;
  /** Null when the package cannot change to a newer version alone. */
  to: string | null;
  jump: VersionJump | null;
  /** The package's newest Published version. */
  newest: string;
  notNewer: UpgradeBlock | null;
  /** True when the set with this change alone was evaluated and has no new violations. */
  verified: boolean;
}

/** The newer versions that a set can change to, for each package alone and for the set together. */
export interface UpgradeAdvice {
  upgrades: PackageUpgrade[];
  /** Null when no other compatible set was found. */
  proposal: UpgradeProposal | null;
  evaluations: number;
  /** False when the evaluation limit was reached before everything was tried. */
  complete: boolean;
}

const maxTried = 8;

/** Searches for newer versions of a set's packages, each alone and all together. Every version named was evaluated. */
export function adviseUpgrades(input: UpgradeInput): UpgradeAdvice {
  const { libraries, ...rest } = input;
  const evaluationInput: EvaluationInput = { ...rest, libraries: [...libraries] };
  const snapshot = new PackageSnapshot(input.catalog);
  const trials = new UpgradeTrials(evaluationInput, snapshot);
  const entries = lookUpPackages(evaluationInput.libraries, snapshot).filter(isUpgradable);
  const upgrades = entries.flatMap((entry) => upgradeOf(entry, trials) ?? []);
  const proposal = proposeUpgrade(entries, trials);
  return { upgrades, proposal, evaluations: trials.evaluations, complete: !trials.isExhausted };
}

// an unknown package has no other versions, and a package listed twice must first be listed once
function isUpgradable(
  entry: ListedLibrary,
  _index: number,
  all: readonly ListedLibrary[],
): entry is ListedLibrary & { release: Release } {
  return entry.release !== undefined && all.filter(({ key }) => key === entry.key).length === 1;
}

function upgradeOf(
  { packageName, release }: ListedLibrary & { release: Release },
  trials: UpgradeTrials,
): PackageUpgrade[] {
  const newer = newerReleases(release);
  const [newest] = newer;
  if (newest === undefined) return [];
  let notNewer: UpgradeBlock | null = null;
  for (const to of newer.slice(0, maxTried)) {
    const addedFindings = trials.addedBy([to]);
    if (addedFindings === undefined) break;
    const [first] = addedFindings;
    if (first === undefined)
      return [
        {
          packageName,
          from: release.text,
          to: to.text,
          jump: jumpBetween(release.version, to.version),
          newest: newest.text,
          notNewer,
          verified: true,
        },
      ];
    notNewer ??= describeBlock(first, to, trials.snapshot);
  }
  return [{ packageName, from: release.text, to: null, jump: null, newest: newest.text, notNewer, verified: false }];
}
