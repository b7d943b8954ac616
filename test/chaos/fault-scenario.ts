import type { Arena } from "./arena.js";
import type { Ledger } from "./ledger.js";
import type { Customer, Load } from "./load.js";
import type { Sink } from "./sink.js";
import type { VitalSigns } from "./vital-signs.js";

/** How much of everything; the suite runs a small form. */
export interface Size {
  readonly kills: number;
  readonly outages: number;
  readonly documents: number;
  readonly neighbourSeconds: number;
  /** The times between two misfortunes are multiplied with it. */
  readonly pace: number;
}

export interface Scene {
  readonly arena: Arena;
  readonly load: Load;
  readonly customers: readonly Customer[];
  readonly sink: Sink;
  readonly ledger: Ledger;
  readonly pulse: VitalSigns;
  /** From 0 to below 1, repeatable by its seed. */
  readonly random: () => number;
  readonly size: Size;
}

/** One kind of misfortune: it happens, and what was seen meanwhile is noted in the ledger. */
export type Act = (scene: Scene) => Promise<void>;
