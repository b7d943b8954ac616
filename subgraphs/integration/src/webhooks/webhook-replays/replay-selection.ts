import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { checkedTime } from "@factory/runtime/input-validation/checked-time";
import { isEventType } from "../../event-types/event-access/event-access.js";
import { endedMessageStates } from "../webhook-messages/webhook-message.states.js";
import type { ReplayWebhookMessagesInput } from "./webhook-replay.input.js";

/** The messages that a replay sends, as its run's payload holds them. Times are ISO 8601. */
export interface ReplaySelection {
  readonly since: string;
  readonly until: string;
  readonly states: readonly string[];
  /** Null for all event types. */
  readonly types: readonly string[] | null;
  /** Whether the log's events without a message are sent too. */
  readonly unsent: boolean;
}

const msPerDay = 86_400_000;
const messageDays = 30;
const logDays = 7;
/** A caller that counts the days back from its own clock is not refused for the time that its request took. */
const toleranceMs = 5 * 60_000;

/** Throws VALIDATION_FAILED, PARAMETERS_INVALID or EVENT_TYPE_UNKNOWN. */
export function checkedSelection(input: ReplayWebhookMessagesInput, now: Date): ReplaySelection {
  const { since, until, states, eventTypes } = input;
  const unsent = input.includeUnsent ?? false;
  if (since == null)
    throw refused("VALIDATION_FAILED", "/input/since", "REQUIRED", "Only a replay with continueRunId needs no since.");
  const from = checkedTime(since, "/input/since");
  const wantedEnd = until == null ? now : checkedTime(until, "/input/until");
  const to = wantedEnd < now ? wantedEnd : now;
  const days = unsent ? logDays : messageDays;
  if (from.getTime() < now.getTime() - days * msPerDay - toleranceMs)
    throw refused(
      "PARAMETERS_INVALID",
      "/input/since",
      "OUT_OF_RANGE",
      unsent
        ? `With includeUnsent it must be at most ${logDays} days ago, since events are kept so long.`
        : `It must be at most ${messageDays} days ago, since messages are kept so long.`,
    );
  if (from >= to)
    throw refused(
      "PARAMETERS_INVALID",
      until == null ? "/input/since" : "/input/until",
      "OUT_OF_RANGE",
      "The period must begin in the past and before its end.",
    );
  requireStates(states ?? []);
  requireTypes(eventTypes ?? []);
  return {
    since: from.toISOString(),
    until: to.toISOString(),
    states: states ?? endedMessageStates,
    types: eventTypes ?? null,
    unsent,
  };
}

/** Throws VALIDATION_FAILED unless `continueRunId` is the only member. */
export function requireNothingElse(input: ReplayWebhookMessagesInput): void {
  const { since, until, states, eventTypes, includeUnsent } = input;
  const errors = Object.entries({ since, until, states, eventTypes, includeUnsent }).flatMap(
    ([name, value]): FieldError[] =>
      value == null
        ? []
        : [{ pointer: `/input/${name}`, code: "FORMAT", detail: "It cannot be given together with continueRunId." }],
  );
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "A replay that continues another one has the selection of that one. See errors for each member.",
      errors,
    });
}

function requireStates(states: readonly string[]): void {
  const unknown = states.flatMap((state, place) =>
    endedMessageStates.some((endedState) => endedState === state)
      ? []
      : [{ pointer: `/input/states/${place}`, allowed: endedMessageStates }],
  );
  if (unknown.length > 0) throw invalidEnumValue(unknown);
}

function requireTypes(types: readonly string[]): void {
  const errors = types.flatMap((type, place): FieldError[] =>
    isEventType(type)
      ? []
      : [
          {
            pointer: `/input/eventTypes/${place}`,
            code: "UNKNOWN_VALUE",
            detail: "The value must be the name of an event type of the platform, for example TemplateRegistered.",
          },
        ],
  );
  if (errors.length > 0)
    throw new DomainError("EVENT_TYPE_UNKNOWN", {
      detail: "A value is not an event type of the platform. See errors for each of them.",
      errors,
    });
}

function refused(
  status: "VALIDATION_FAILED" | "PARAMETERS_INVALID",
  pointer: string,
  code: string,
  detail: string,
): DomainError {
  return new DomainError(status, {
    detail: "The period of the replay is not valid. See errors.",
    errors: [{ pointer, code, detail }],
  });
}
