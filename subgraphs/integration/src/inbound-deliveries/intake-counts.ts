/** What became of a delivery. `unavailable`: it could not be decided now, for example without the database. */
export type IntakeOutcome = "accepted" | "duplicate" | "conflict" | "ambiguous" | "refused" | "unavailable";

/** Counts the outcomes of deliveries in this process, for its metrics. */
export class IntakeCounts {
  readonly #counts: Record<IntakeOutcome, number> = {
    accepted: 0,
    duplicate: 0,
    conflict: 0,
    ambiguous: 0,
    refused: 0,
    unavailable: 0,
  };

  add(outcome: IntakeOutcome): void {
    this.#counts[outcome] += 1;
  }

  get all(): Readonly<Record<IntakeOutcome, number>> {
    return this.#counts;
  }
}
