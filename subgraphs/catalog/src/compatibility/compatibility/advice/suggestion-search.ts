import { frameworkName } from "@factory/nuget/framework";
import type { PausableWork } from "@factory/runtime/threads/long-work";
import { type CatalogSnapshot, type EvaluationContext, evaluationContext } from "../evaluation/evaluation-context.js";
import type { EvaluationInput } from "../evaluation/evaluation-input.js";
import { applyMove, type Move, type Resolution } from "../moves/move.js";
import { findingIdentity, findingsOf, newFindings } from "../rules/all-rules.js";
import type { Finding } from "../rules/finding.js";

interface Suggestion {
  suggestedResolution: string;
  resolution: Resolution | null;
}

const maxEvaluations = 200;
const maxEvaluationsPerFinding = 24;
/** The limit for packages and dependencies over all evaluations: about 100 ms, but the same number on every machine. */
const maxSteps = 30_000;
/** The search ends after so many findings without any move, since looking for moves takes time, too. */
const maxFruitlessSearches = 500;

/** An evaluation's result for the set after a move. */
interface Trial {
  move: Move;
  resolves: boolean;
  added: Finding[];
  left: number;
}

/** Searches for moves that resolve a finding and break no rule. Each move is evaluated before it is suggested. */
export class SuggestionSearch {
  readonly #input: EvaluationInput;
  readonly #snapshot: CatalogSnapshot;
  readonly #findings: readonly Finding[];
  readonly #share: number;
  readonly #stepsEach: number;
  #evaluationsLeft: number;
  #fruitlessLeft = maxFruitlessSearches;
  #steps: number;

  constructor(context: EvaluationContext, findings: readonly Finding[]) {
    this.#input = context.input;
    this.#snapshot = context.snapshot;
    this.#findings = findings;
    const { edges, rounds } = context.graph;
    // the step limit was chosen for graphs that settle in two or three rounds
    const steps = context.listed.length + edges.length * Math.max(1, rounds / 3) + findings.length;
    this.#stepsEach = steps;
    this.#steps = steps;
    this.#evaluationsLeft = Math.min(maxEvaluations, Math.ceil(maxSteps / Math.max(1, steps)));
    this.#share = Math.min(
      maxEvaluationsPerFinding,
      Math.max(4, Math.floor(this.#evaluationsLeft / Math.max(1, findings.length))),
    );
  }

  /** The packages, dependencies and findings in all sets that were evaluated so far. */
  get steps(): number {
    return Math.ceil(this.#steps);
  }

  *suggest(finding: Finding): PausableWork<Suggestion> {
    if (this.#evaluationsLeft <= 0 || this.#fruitlessLeft <= 0)
      return withoutMove("Not searched. Resolve the violations listed above, then evaluate again.");
    const trials: Trial[] = [];
    const moves = distinct(finding.moves().flat());
    yield;
    if (moves.length === 0) this.#fruitlessLeft -= 1;
    for (const move of moves.slice(0, this.#share)) {
      if (this.#evaluationsLeft <= 0) break;
      const trial = yield* this.#try(finding, move);
      trials.push(trial);
      // the best moves come first, so no later move is better than this one
      if (isResolution(trial) && trial.left === 0) break;
    }
    const good = trials.filter(isResolution);
    const best = good.find(({ left }) => left === 0) ?? good[0];
    if (best !== undefined) return this.#verified(best);
    const closest = trials.filter(({ resolves }) => resolves).sort((a, b) => a.added.length - b.added.length)[0];
    if (finding.rule === "LibraryNotRegistered") return withoutMove(`Register ${finding.packageName} in this catalog.`);
    return closest === undefined
      ? withoutMove("No single change in this catalog resolves it.")
      : this.#closest(closest);
  }

  *#try(finding: Finding, move: Move): PausableWork<Trial> {
    this.#evaluationsLeft -= 1;
    this.#steps += this.#stepsEach;
    const context = yield* evaluationContext(applyMove(this.#input, move), this.#snapshot);
    yield;
    const after = yield* findingsOf(context);
    const resolves = !after.some((laterFinding) => findingIdentity(laterFinding) === findingIdentity(finding));
    return { move, resolves, added: newFindings(this.#findings, after), left: after.length };
  }

  #verified({ move, left }: Trial): Suggestion {
    const rest = left === 1 ? "1 other remains" : `${left} others remain`;
    const outcome = left === 0 ? "the set is then compatible" : `this violation is then resolved, ${rest}`;
    return {
      suggestedResolution: `${this.#sentence(move)}. Verified: ${outcome}.`,
      resolution: { ...move, verified: true, resolvesAll: left === 0 },
    };
  }

  #closest({ move, added }: Trial): Suggestion {
    return {
      suggestedResolution: `No single change in this catalog resolves it. The closest change: ${this.#sentence(move)}, but then: ${added[0]?.detail ?? ""}`,
      resolution: { ...move, verified: false, resolvesAll: false },
    };
  }

  #sentence({ action, packageName, fromVersion, toVersion, runtime, replacedBy }: Move): string {
    switch (action) {
      case "ChangeRuntime":
        return `Change the runtime from ${frameworkName(this.#input.runtime)} to ${runtime}`;
      case "Remove":
        return toVersion === null ? `Remove ${packageName} from the set` : `List ${packageName} once, at ${toVersion}`;
      case "Add":
        return `Add ${packageName} ${toVersion}${this.#standing(packageName, toVersion)} to the set`;
      case "Replace":
        return `Replace ${packageName} ${fromVersion} with ${replacedBy} ${toVersion}${this.#standing(replacedBy, toVersion)}`;
      case "ChangeVersion":
        return packageName === null
          ? `Change the template version from ${fromVersion} to ${toVersion}${this.#templateFacts(toVersion)}`
          : `Change ${packageName} from ${fromVersion} to ${toVersion}${this.#standing(packageName, toVersion)}`;
    }
  }

  #standing(packageName: string | null, version: string | null): string {
    const library = this.#snapshot.library(packageName?.toLowerCase() ?? "");
    const release = library?.releases.find(({ text }) => text === version);
    return release === undefined ? "" : ` (${release.status}, supports ${frameworkName(this.#input.runtime)})`;
  }

  #templateFacts(version: string | null): string {
    const otherVersion = this.#input.template?.otherVersions.find(({ semanticVersion }) => semanticVersion === version);
    return otherVersion === undefined ? "" : ` (${otherVersion.status}, targets ${otherVersion.targetFramework})`;
  }
}

function isResolution({ resolves, added }: Trial): boolean {
  return resolves && added.length === 0;
}

function withoutMove(suggestedResolution: string): Suggestion {
  return { suggestedResolution, resolution: null };
}

function distinct(moves: readonly Move[]): Move[] {
  return [...new Map(moves.map((move) => [JSON.stringify(move), move])).values()];
}
