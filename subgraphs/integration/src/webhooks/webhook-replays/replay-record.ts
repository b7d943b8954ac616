import type { RunRecord } from "../../runs/run-record.js";
import type { ReplaySelection } from "./replay-selection.js";

/**
 * The last message that a replay has looked at, as a place. The time keeps the microseconds, as PostgreSQL prints it.
 */
export interface ReplayPlace {
  readonly at: string;
  /** The event's `sequence`. */
  readonly position: string;
}

/** Where a replay goes on. */
export interface ReplayCheckpoint {
  /**
   * `skipped`: what the replay's earlier run has made due and a pause has skipped. `rest`: what was not reached yet.
   */
  readonly stage: "skipped" | "rest";
  readonly place: ReplayPlace;
}

/** The payload for a run of the operation ReplayDeliveries. */
export interface ReplayPayload {
  readonly subscriptionId: string;
  readonly selection: ReplaySelection;
  /** The run that this one continues, and the replay's first run; null in the first run. */
  readonly continues: string | null;
  readonly replay: string | null;
  /** Where the continued run has stopped. */
  readonly from: ReplayPlace | null;
  /** The run that continues this one. */
  readonly continuedBy?: string;
}

/** How far a replay has come, as its readers see it. The run's result is the same. */
export interface ReplayProgress {
  /** The webhooks that were made due. */
  readonly replayed: number;
  /** Replayed messages whose event this subscription had never got. */
  readonly unsent: number;
  /** Messages that were selected and cannot be sent: they do not fit the project or the filter, wait already, or have no event left. */
  readonly passedOver: number;
  /** The messages that were selected at the start. Null with includeUnsent, and in a period with very many messages. */
  readonly total: number | null;
  /** The time on the last message that was looked at. */
  readonly reachedAt: string | null;
  /** The run that this one continues. */
  readonly continues: string | null;
}

/** A replay's payload, which only `WebhookReplayService` writes. */
export const replayPayload = ({ payload }: Pick<RunRecord, "payload">) => payload as unknown as ReplayPayload;

/** The beginning of the selected period. Sequences begin with 1. */
const beginningOf = ({ since }: ReplaySelection): ReplayPlace => ({ at: since, position: "0" });

/** Where a run goes on: at its checkpoint, otherwise where the continued run has stopped. */
export function checkpointOf(run: Pick<RunRecord, "payload" | "checkpoint">): ReplayCheckpoint {
  if (run.checkpoint) return run.checkpoint as unknown as ReplayCheckpoint;
  const { selection, continues } = replayPayload(run);
  return { stage: continues === null ? "rest" : "skipped", place: beginningOf(selection) };
}

/** The place where a replay's rest begins. */
export function restOf(run: Pick<RunRecord, "payload">): ReplayPlace {
  const { selection, from } = replayPayload(run);
  return from ?? beginningOf(selection);
}

/** The place that a later run must go on from. */
export function reachedBy(run: Pick<RunRecord, "payload" | "checkpoint">): ReplayPlace {
  const { stage, place } = checkpointOf(run);
  return stage === "rest" ? place : restOf(run);
}
