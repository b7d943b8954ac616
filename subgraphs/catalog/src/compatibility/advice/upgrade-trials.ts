import type { PackageIdentity } from "@factory/nuget/package-metadata";
import type { Release } from "../evaluation/catalog-library.js";
import { type CatalogSnapshot, createEvaluationContext } from "../evaluation/evaluation-context.js";
import type { EvaluationInput } from "../evaluation/evaluation-input.js";
import { addedTo, findingsOf } from "../rules/all-rules.js";
import type { Finding } from "../rules/finding.js";

const maxEvaluations = 400;
/** Packages and dependencies looked at in all evaluations together: some 200 ms, but the same on every machine. */
const maxSteps = 60_000;

/** Evaluates variants of one set, each once, until its budget is spent. */
export class UpgradeTrials {
  readonly #input: EvaluationInput;
  readonly snapshot: CatalogSnapshot;
  readonly #seen = new Map<string, readonly Finding[]>();
  readonly #before: readonly Finding[];
  readonly #budget: number;
  evaluations = 0;
  isExhausted = false;

  constructor(input: EvaluationInput, snapshot: CatalogSnapshot) {
    this.#input = input;
    this.snapshot = snapshot;
    const context = createEvaluationContext(input, snapshot);
    this.#before = findingsOf(context);
    const steps = context.listed.length + context.graph.edges.length;
    this.#budget = Math.min(maxEvaluations, Math.ceil(maxSteps / Math.max(1, steps)));
  }

  /** What is broken with these releases in the places of what is listed; undefined when the budget is spent. */
  findings(releases: readonly Release[]): readonly Finding[] | undefined {
    const libraries = this.listed(releases);
    const key = libraries.map(({ packageName, version }) => `${packageName} ${version}`).join("|");
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    if (this.evaluations >= this.#budget) {
      this.isExhausted = true;
      return undefined;
    }
    this.evaluations += 1;
    const findings = findingsOf(createEvaluationContext({ ...this.#input, libraries }, this.snapshot));
    this.#seen.set(key, findings);
    return findings;
  }

  /** What these releases break that was not broken before. */
  addedBy(releases: readonly Release[]): readonly Finding[] | undefined {
    const after = this.findings(releases);
    return after && addedTo(this.#before, after);
  }

  /** The set with these releases in it, in the order of the given one. */
  listed(releases: readonly Release[]): PackageIdentity[] {
    const byKey = new Map(releases.map((release) => [release.library.key, release]));
    return this.#input.libraries.map(({ packageName, version }) => {
      const release = byKey.get(packageName.toLowerCase());
      return release === undefined ? { packageName, version } : { packageName, version: release.text };
    });
  }
}
