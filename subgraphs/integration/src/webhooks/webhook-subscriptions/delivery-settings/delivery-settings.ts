import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { WebhookOrdering } from "@factory/schema/vocabularies/webhooks";
import { headerProblems, sentHeaders } from "./delivery-headers.js";
import type { EventFilter } from "./event-filter.js";
import { filterProblems } from "./filter-problems.js";

/** How a subscription's events are chosen and sent. */
export interface DeliverySettings {
  readonly ratePerSecond: number | null;
  readonly ordering: WebhookOrdering;
  readonly filter: EventFilter | null;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>> | null;
}

/** The input members that say how events are chosen and sent. */
export interface DeliverySettingsInput {
  ratePerSecond?: number | null;
  ordering?: WebhookOrdering | null;
  filter?: Record<string, unknown> | null;
  headers?: Record<string, unknown> | null;
  handshake?: boolean | null;
}

const defaultDeliverySettings: DeliverySettings = {
  ratePerSecond: null,
  ordering: "parallel",
  filter: null,
  headers: null,
};

const names = ["ratePerSecond", "ordering", "filter", "headers", "handshake"] as const;

/** Throws PARAMETERS_INVALID with a JSON pointer for each value that is refused. Absent members have their defaults. */
export function checkedDeliverySettings(
  input: DeliverySettingsInput,
  direction: "Outbound" | "Inbound",
): DeliverySettings {
  const errors = direction === "Inbound" ? refusedInbound(input) : problemsOf(input);
  if (errors.length > 0)
    throw new DomainError("PARAMETERS_INVALID", {
      detail: "The settings for the delivery of events are not valid. See errors for each value.",
      errors: errors.slice(0, 20),
    });
  const { ratePerSecond, ordering, filter, headers } = input;
  return {
    ratePerSecond: ratePerSecond ?? null,
    ordering: ordering ?? defaultDeliverySettings.ordering,
    filter: filter == null || isEmpty(filter) ? null : filter,
    headers: headers == null || isEmpty(headers) ? null : sentHeaders(headers),
  };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

function refusedInbound(input: DeliverySettingsInput): FieldError[] {
  return names
    .filter((name) => input[name] != null)
    .map((name) => ({
      pointer: `/input/${name}`,
      code: "FORMAT",
      detail: "A subscription with the direction Inbound cannot have it.",
    }));
}

function problemsOf({ filter, headers }: DeliverySettingsInput): FieldError[] {
  const errors: FieldError[] = [];
  if (filter != null && !isEmpty(filter)) errors.push(...filterProblems(filter, "/input/filter"));
  if (headers != null) errors.push(...headerProblems(headers, "/input/headers"));
  return errors;
}
