import type { Arena } from "./arena.js";
import type { Fleet } from "./fleet/fleet.js";
import type { SignIns } from "./fleet/sign-ins.js";
import type { Ledger } from "./ledger.js";
import type { Customer, Load } from "./load.js";
import type { Quiet } from "./quiet-phase.js";
import type { VitalSigns } from "./vital-signs.js";
import type { WebhookReceiver } from "./webhook-receiver.js";

/** The size of each part in the run. The test suite uses a small size. */
export interface Size {
  readonly kills: number;
  readonly outages: number;
  readonly documents: number;
  readonly neighborSeconds: number;
  /** Executions that never end by themselves, beside a healthy tenant. */
  readonly hostileRenders: number;
  /** Events for each tenant whose receiver does not answer. */
  readonly hangingEvents: number;
  /** How often each of several processes is stopped and started, and how often one is killed. */
  readonly restarts: number;
  /** Requests a second during the restarts. */
  readonly requestsPerSecond: number;
  /** The factor by which the times between two faults are multiplied. */
  readonly pace: number;
}

interface Act {
  readonly load: Load;
  readonly customers: readonly Customer[];
  readonly receiver: WebhookReceiver;
  readonly ledger: Ledger;
  /** The times before the first fault. */
  readonly quiet: Quiet;
  /** Returns a random number from 0 to below 1. The same seed gives the same numbers. */
  readonly random: () => number;
  readonly size: Size;
  /** Tells the person who waits. */
  readonly tell: (line: string) => void;
}

export interface Scene extends Act {
  readonly arena: Arena;
  readonly pulse: VitalSigns;
}

export interface FleetScene extends Act {
  readonly fleet: Fleet;
  readonly signIns: SignIns;
}

/** Causes one kind of fault at one process, and records the observations in the ledger. */
export type FaultScenario = (scene: Scene) => Promise<void>;

/** Causes one kind of fault at several processes over one database. */
export type FleetScenario = (scene: FleetScene) => Promise<void>;
