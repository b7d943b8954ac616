/** One promise, or one observation, with the measured figure. */
export interface Entry {
  readonly promise: string;
  readonly found: number;
  /** The limit that the figure must not exceed. Absent if the figure is only an observation. */
  readonly atMost?: number;
  /** The floor that the figure must reach. */
  readonly atLeast?: number;
  readonly unit?: string;
}

/** A run's promises and observations, in the order in which they were recorded. */
export class Ledger {
  readonly #entries: Entry[] = [];

  note(entry: Entry): void {
    this.#entries.push(entry);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get broken(): readonly Entry[] {
    return this.#entries.filter(isBroken);
  }

  print(): string {
    const width = Math.max(...this.#entries.map(({ promise }) => promise.length));
    const lines = this.#entries.map((entry) => {
      const { promise, found, atMost, atLeast, unit = "" } = entry;
      const limits = [
        ...(atMost === undefined ? [] : [`at most ${round(atMost)}${unit}`]),
        ...(atLeast === undefined ? [] : [`at least ${round(atLeast)}${unit}`]),
      ];
      const goal = limits.length === 0 ? "" : `  ${limits.join(", ")}  ${isBroken(entry) ? "BROKEN" : "kept"}`;
      return `${promise.padEnd(width)}  ${round(found)}${unit}${goal}`;
    });
    return [...lines, ""].join("\n");
  }
}

/** A promise is also broken if its figure could not be measured (NaN). */
const isBroken = ({ found, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Entry) =>
  (atMost !== Number.POSITIVE_INFINITY || atLeast !== Number.NEGATIVE_INFINITY) &&
  !(found <= atMost && found >= atLeast);

const round = (value: number) => Math.round(value * 10) / 10;

export function percentile(values: readonly number[], share: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}
