import type { Release } from "./release.js";

/** The release that a round chose for each package, by package name in lower case. */
type Choice = ReadonlyMap<string, Release>;

/** A restore usually needs few rounds. A chain in which each dependency raises the next takes one for each link. */
export const usualRounds = 10;
const maxRounds = 100;
/** Dependencies looked at in all rounds beyond the usual ones: about 50 ms, but the same number on every machine. */
const maxSteps = 100_000;

/** Ends a resolution whose choices repeat themselves, or that takes too long to settle. */
export class WalkConvergence {
  rounds = 1;
  #steps = 0;
  // Brent's cycle detection: each choice is compared with one earlier choice, which is replaced after 1, 2, 4, 8 rounds
  #kept: Choice | undefined;

  /** Counts one more round of so many steps; true when there shall be no further round. */
  isOver(choice: Choice, steps: number): boolean {
    this.#steps += steps;
    if (this.#kept !== undefined && sameChoice(this.#kept, choice)) return true;
    if (this.rounds >= maxRounds || (this.rounds >= usualRounds && this.#steps > maxSteps)) return true;
    if ((this.rounds & (this.rounds - 1)) === 0) this.#kept = choice;
    this.rounds += 1;
    return false;
  }
}

/** The packages for which the two choices have different releases. */
export function differing(a: Choice, b: Choice): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).sort();
}

export function sameChoice(a: Choice, b: Choice): boolean {
  return a.size === b.size && [...a].every(([key, release]) => b.get(key) === release);
}
