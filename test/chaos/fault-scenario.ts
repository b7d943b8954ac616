import type { Arena } from "./arena.js";
import type { Ledger } from "./ledger.js";
import type { Customer, Load } from "./load.js";
import type { VitalSigns } from "./vital-signs.js";
import type { WebhookReceiver } from "./webhook-receiver.js";

/** The size of each part of the run. The test suite uses a small size. */
export interface Size {
  readonly kills: number;
  readonly outages: number;
  readonly documents: number;
  readonly neighborSeconds: number;
  /** The factor by which the times between two faults are multiplied. */
  readonly pace: number;
}

export interface Scene {
  readonly arena: Arena;
  readonly load: Load;
  readonly customers: readonly Customer[];
  readonly receiver: WebhookReceiver;
  readonly ledger: Ledger;
  readonly pulse: VitalSigns;
  /** Returns a random number from 0 to below 1. The same seed gives the same numbers. */
  readonly random: () => number;
  readonly size: Size;
}

/** Causes one kind of fault and records the observations in the ledger. */
export type FaultScenario = (scene: Scene) => Promise<void>;
