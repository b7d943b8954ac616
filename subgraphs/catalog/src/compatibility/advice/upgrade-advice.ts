import type { Framework } from "@factory/nuget/framework";
import { lookUpPackages } from "@factory/nuget/listed-package";
import type { PackageIdentity } from "@factory/nuget/package-metadata";
import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import type { CatalogLibrary, ListedLibrary, Release } from "../evaluation/catalog-library.js";
import type { EvaluationInput, TemplateSide } from "../evaluation/evaluation-input.js";
import { proposeUpgrade } from "./upgrade-proposal.js";
import {
  blockOf,
  jumpBetween,
  newerReleases,
  type UpgradeBlock,
  type UpgradeProposal,
  type VersionJump,
} from "./upgrade-step.js";
import { UpgradeTrials } from "./upgrade-trials.js";

export interface UpgradeInput {
  runtime: Framework;
  libraries: readonly PackageIdentity[];
  /** By lower-case package name: the set, and what all its versions depend on. */
  catalog: ReadonlyMap<string, CatalogLibrary>;
  template?: TemplateSide;
  now?: Date;
  unknownLibraries?: "advisory" | "violation";
}

/** The newest Published version that one package can take while nothing else of the set changes. */
export interface PackageUpgrade {
  packageName: string;
  from: string;
  /** Null: nothing newer can be taken by itself. */
  to: string | null;
  jump: VersionJump | null;
  /** The newest Published version of all. */
  newest: string;
  notNewer: UpgradeBlock | null;
  /** Evaluated again with this change alone: nothing is broken that was not before. */
  verified: boolean;
}

export interface UpgradeAdvice {
  upgrades: PackageUpgrade[];
  /** Null where no compatible set was found that differs from the given one. */
  proposal: UpgradeProposal | null;
  evaluations: number;
  /** False where the budget ended before everything was tried. */
  complete: boolean;
}

const maxTried = 8;

/** Looks for newer versions of a set's packages: each by itself, and all together; nothing is named unevaluated. */
export function upgradeAdvice(input: UpgradeInput): UpgradeAdvice {
  const { libraries, ...rest } = input;
  const evaluated: EvaluationInput = { ...rest, libraries: [...libraries] };
  const snapshot = new PackageSnapshot(input.catalog);
  const trials = new UpgradeTrials(evaluated, snapshot);
  const entries = lookUpPackages(evaluated.libraries, snapshot).filter(isUpgradable);
  const upgrades = entries.flatMap((entry) => upgradeOf(entry, trials) ?? []);
  const proposal = proposeUpgrade(entries, trials);
  return { upgrades, proposal, evaluations: trials.evaluations, complete: !trials.isExhausted };
}

// what is unknown can not move, and what is listed twice has to be mended first
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
    const added = trials.addedBy([to]);
    if (added === undefined) break;
    const [first] = added;
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
    notNewer ??= blockOf(first, to, trials.snapshot);
  }
  return [{ packageName, from: release.text, to: null, jump: null, newest: newest.text, notNewer, verified: false }];
}
