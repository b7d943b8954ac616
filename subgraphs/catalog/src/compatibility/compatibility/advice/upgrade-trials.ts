import type { PackageIdentity } from "@factory/nuget/package-metadata";
import type { Release } from "../evaluation/catalog-library.js";
import { type CatalogSnapshot, createEvaluationContext } from "../evaluation/evaluation-context.js";
import type { EvaluationInput } from "../evaluation/evaluation-input.js";
import { evaluateRules, newFindings } from "../rules/all-rules.js";
import type { Finding } from "../rules/finding.js";

const maxEvaluations = 400;
/** The limit for packages and dependencies over all evaluations: some 200 ms, but the same number on every machine. */
const maxSteps = 60_000;

/** Evaluates variants of one set, each once, until the evaluation limit is reached. */
export class UpgradeTrials {
  readonly #input: EvaluationInput;
  readonly snapshot: CatalogSnapshot;
  readonly #seen = new Map<string, readonly Finding[]>();
  readonly #before: readonly Finding[];
  readonly #limit: number;
  evaluations = 0;
  isExhausted = false;

  constructor(input: EvaluationInput, snapshot: CatalogSnapshot) {
    this.#input = input;
    this.snapshot = snapshot;
    const context = createEvaluationContext(input, snapshot);
    this.#before = evaluateRules(context);
    const steps = context.listed.length + context.graph.edges.length;
    this.#limit = Math.min(maxEvaluations, Math.ceil(maxSteps / Math.max(1, steps)));
  }

  /** The findings about the set with these releases instead of the listed ones; undefined when the limit is reached. */
  findings(releases: readonly Release[]): readonly Finding[] | undefined {
    const libraries = this.listed(releases);
    const key = libraries.map(({ packageName, version }) => `${packageName} ${version}`).join("|");
    const storedFindings = this.#seen.get(key);
    if (storedFindings !== undefined) return storedFindings;
    if (this.evaluations >= this.#limit) {
      this.isExhausted = true;
      return undefined;
    }
    this.evaluations += 1;
    const findings = evaluateRules(createEvaluationContext({ ...this.#input, libraries }, this.snapshot));
    this.#seen.set(key, findings);
    return findings;
  }

  /** The findings that these releases cause and the given set does not have. */
  addedBy(releases: readonly Release[]): readonly Finding[] | undefined {
    const after = this.findings(releases);
    return after && newFindings(this.#before, after);
  }

  /** The set with these releases instead of the listed ones, in the order of the given set. */
  listed(releases: readonly Release[]): PackageIdentity[] {
    const byKey = new Map(releases.map((release) => [release.library.key, release]));
    return this.#input.libraries.map(({ packageName, version }) => {
      const release = byKey.get(packageName.toLowerCase());
      return release === undefined ? { packageName, version } : { packageName, version: release.text };
    });
  }
}
