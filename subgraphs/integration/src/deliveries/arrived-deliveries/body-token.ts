import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import type { ValuePath, WebhookDescription } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";
import { eventsIn, parsedBody, valueAt } from "./delivery-values.js";

/** The secret's place in the body, or in each event in it; undefined where it does not stand there. */
export const tokenPlace = (description: WebhookDescription | undefined): ValuePath | undefined =>
  description?.scheme.kind === "token" ? description.scheme.value : undefined;

/** The secret in the body; undefined for none, for events with different ones, and for a body that cannot be read. */
export function tokenInBody(delivery: ArrivedDelivery, description: WebhookDescription): string | undefined {
  const place = tokenPlace(description);
  const body = place === undefined ? undefined : bodyOf(delivery, description);
  const events = body === undefined ? [] : (eventsIn(description, body) ?? []);
  const tokens = new Set(events.map((event) => valueAt(place ?? "", { delivery, body: event })));
  const [token] = tokens;
  return tokens.size === 1 ? token : undefined;
}

function bodyOf(delivery: ArrivedDelivery, description: WebhookDescription): unknown {
  try {
    return parsedBody(delivery, description).body;
  } catch {
    return undefined;
  }
}

/** A copy of the value without what stands at the place. */
export function withoutValue(value: unknown, place: ValuePath): unknown {
  const tokens = place.slice("body:/".length).split("/");
  return without(
    value,
    tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
}

function without(value: unknown, [name, ...deeper]: readonly string[]): unknown {
  if (name === undefined || typeof value !== "object" || value === null || isKeptNumber(value)) return value;
  if (!Object.hasOwn(value, name)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  if (deeper.length === 0) delete copy[name];
  else copy[name] = without(copy[name], deeper);
  return copy;
}
