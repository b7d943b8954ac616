import { type Import, importGraph } from "../house/import-graph.js";
import { candidatesIn, isProduct } from "./candidates.js";
import type { CheckoutCopy } from "./checkout-copy.js";
import { shuffled } from "./choice.js";
import type { Fault, Outcome, Rule } from "./fault.js";
import { firstFailure } from "./jest-run.js";
import type { Failure } from "./report.js";
import { isStack, isSuite, runsFor } from "./suites.js";

/** How many candidates for a rule are tried until one compiles. */
const maxTries = 12;
/** How long one suite may take that runs once more. */
const confirmationMs = 300_000;

interface Settings {
  readonly limitMs: number;
  readonly tell: (line: string) => void;
}

/** A rule's candidates in the order in which they are tried. */
export async function candidatesOf(rule: Rule, copy: CheckoutCopy, seed: number): Promise<Fault[]> {
  const files = copy.files().filter((file) => isProduct(file) && rule.files.test(file));
  const candidates = await Promise.all(files.map(async (file) => candidatesIn(rule, file, await copy.read(file))));
  return shuffled(candidates.flat(), seed, rule.rule);
}

/** Plants faults into a copy of a checkout, and looks for each with the suites that should find it. */
export class FaultPlanter {
  readonly #copy: CheckoutCopy;
  readonly #settings: Settings;
  readonly #suites: readonly string[];
  readonly #imports: readonly Import[];

  private constructor(copy: CheckoutCopy, settings: Settings, suites: string[], imports: Import[]) {
    this.#copy = copy;
    this.#settings = settings;
    this.#suites = suites;
    this.#imports = imports;
  }

  static async over(copy: CheckoutCopy, settings: Settings): Promise<FaultPlanter> {
    await copy.compile();
    const suites = copy.files().filter(isSuite);
    return new FaultPlanter(copy, settings, suites, await importGraph(copy.folder));
  }

  /** Plants the first candidate that compiles. */
  async plantOne(candidates: readonly Fault[], rule: string): Promise<Outcome> {
    let reason = "no source has a place for it";
    for (const fault of candidates.slice(0, maxTries)) {
      const problem = await this.#copy.plant(fault);
      if (problem === undefined) return this.#lookFor(fault);
      await this.#copy.restore();
      reason = problem;
      this.#settings.tell(`  ${fault.file}: ${problem}`);
    }
    const fault = candidates[0] ?? { rule, file: "", find: "", replace: "" };
    return { fault, result: "not planted", by: reason, seconds: 0 };
  }

  async #lookFor(fault: Fault): Promise<Outcome> {
    const startedAt = Date.now();
    this.#settings.tell(`  ${fault.file}:\n${fault.find}\n  becomes\n${fault.replace}`);
    try {
      const finding = await this.#found(fault, startedAt + this.#settings.limitMs);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      if (finding === undefined) return { fault, result: "MISSED", by: "", seconds };
      if (finding === "late") return { fault, result: "out of time", by: "", seconds };
      return { fault, result: "found", by: `${finding.suite} › ${finding.title}`, seconds };
    } finally {
      await this.#copy.restore();
    }
  }

  async #found(fault: Fault, until: number): Promise<Failure | "late" | undefined> {
    for (const suites of runsFor(fault.file, this.#suites, this.#imports)) {
      let remaining = suites;
      while (remaining.length > 0) {
        const failure = await this.#run(remaining, until);
        if (failure === "late") return "late";
        if (failure === undefined) break;
        if (await this.#isByFault(fault, failure)) return failure;
        remaining = remaining.filter((suite) => suite !== failure.suite);
        if (failure.suite === "") break;
      }
    }
    return undefined;
  }

  async #run(suites: readonly string[], until: number): Promise<Failure | "late" | undefined> {
    if (Date.now() >= until) return "late";
    this.#settings.tell(`  runs ${suites.length} suites: ${suites.join(" ")}`.slice(0, 200));
    // a fault that stops the bundle is found by all suites that need it
    if (suites.some(isStack)) await this.#copy.bundle().catch(() => undefined);
    return firstFailure(this.#copy.folder, suites, until - Date.now());
  }

  /** A suite has found the fault if it fails once more with it, and passes without it. */
  async #isByFault(fault: Fault, { suite, title }: Failure): Promise<boolean> {
    this.#settings.tell(`  ${suite} › ${title} fails`);
    if (suite === "" || (await firstFailure(this.#copy.folder, [suite], confirmationMs)) === undefined) return false;
    await this.#copy.restore();
    await (isStack(suite) ? this.#copy.bundle() : this.#copy.compile());
    const without = await firstFailure(this.#copy.folder, [suite], confirmationMs);
    if (without === undefined) return true;
    this.#settings.tell(`  ${suite} fails without the fault, too`);
    await this.#copy.plant(fault);
    return false;
  }
}
