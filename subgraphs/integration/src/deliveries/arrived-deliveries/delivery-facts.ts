import { createHash } from "node:crypto";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import { isRecent } from "../../providers/inbound-signatures/inbound-message.js";
import { secondsOf } from "../../providers/inbound-signatures/signed-time.js";
import type {
  ProviderDriver,
  ValuePath,
  WebhookDescription,
} from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";
import { tokenPlace, withoutValue } from "./body-token.js";
import {
  challengeOf,
  eventsIn,
  firstValue,
  invalid,
  isInBody,
  memberOf,
  parsedBody,
  type Source,
  valueAt,
} from "./delivery-values.js";
import { actionsOf, toldAction } from "./told-action.js";
import { type Challenge } from "./url-test.js";
import type { ActionPlace } from "./vendor-actions.js";

/** The facts for a delivery's record, read from a request whose signature was verified. */
export interface DeliveryFacts {
  readonly providerDeliveryId: string;
  /** With the action after a dot, where the vendor sends one. */
  readonly eventName: string;
  /** The names by which the event is normalized. */
  readonly named: { readonly event: string; readonly action: string | undefined };
  /** The vendor's id for the account. */
  readonly account: string | undefined;
  /** JSON text. */
  readonly payload: string;
  /** The payload parsed. */
  readonly value: unknown;
  readonly bodySha256: Buffer;
}

/** Either a delivery's events, or the answer to a test of the URL. */
export type ReadDelivery = { readonly events: readonly DeliveryFacts[] } | Challenge;

const maxIdLength = 255;
const maxNameLength = 200;
const maxEvents = 1000;

/** The provider that a delivery was sent to: how it is read, and whose vendor's events it has. */
interface Sender {
  readonly driver: ProviderDriver;
  readonly providerKey: string;
  readonly preset: string | null;
}

/** Throws MALFORMED_JSON, VALIDATION_FAILED, or SIGNATURE_EXPIRED for the time in a body. */
export function readDelivery(
  delivery: ArrivedDelivery,
  { driver, ...vendor }: Sender,
  now: Date = new Date(),
): ReadDelivery {
  const { body, text } = parsedBody(delivery, driver.webhook);
  const description = { ...(driver.webhook ?? defaultDescription), actions: actionsOf(vendor) };
  if (delivery.form === "Specified") return { events: [specifiedFacts(description, delivery, body)] };
  requireRecentBody(description, { delivery, body }, now);
  const challenge = challengeOf(description, { delivery, body });
  if (challenge !== undefined) return { challenge, mediaType: "text/plain" };
  const token = tokenPlace(driver.webhook);
  if (!description.batch && description.events === undefined) {
    const { message } = delivery;
    if (token === undefined) return { events: [vendorFacts(description, { delivery, body }, text, message.body)] };
    return { events: [vendorFacts(description, ...withoutToken(delivery, body, token))] };
  }
  const list = eventsIn(description, body);
  if (!list) throw invalid("", "TYPE", "The body of this provider must have a list of events.");
  if (list.length === 0 || list.length > maxEvents)
    throw invalid("", "OUT_OF_RANGE", `The list must have 1 to ${maxEvents} events.`);
  return { events: list.map((event) => vendorFacts(description, ...withoutToken(delivery, event, token))) };
}

/** The event without the secret that stands in it, since events are shown and sent on. */
function withoutToken(
  delivery: ArrivedDelivery,
  event: unknown,
  token: ValuePath | undefined,
): [source: Source, payload: string, bytes: Buffer] {
  const body = token === undefined ? event : withoutValue(event, token);
  const payload = JSON.stringify(body);
  return [{ delivery, body }, payload, Buffer.from(payload)];
}

function requireRecentBody({ signedTime }: Described, source: Source, now: Date): void {
  if (!signedTime) return;
  const text = valueAt(signedTime.value, source);
  const seconds = text === undefined ? undefined : secondsOf(text, signedTime.format);
  if (seconds === undefined)
    throw invalid(signedTime.value.slice("body:".length), "FORMAT", "The body of this provider must have its time.");
  if (!isRecent(seconds, now))
    throw new DomainError("SIGNATURE_EXPIRED", {
      detail: "The signature is right, and the time in the body is more than 300 seconds from now. Send it anew.",
    });
}

/** A provider without a description sends the specification's members, in whatever way they are signed. */
const defaultDescription: Omit<WebhookDescription, "scheme"> = {
  deliveryId: ["header:x-delivery-id", "header:webhook-id", "body:/providerDeliveryId", "body:/id"],
  eventName: ["header:x-event-name", "body:/eventName", "body:/type"],
};

/** The payload takes the place of the vendor's body, so the account is looked for there. */
function specifiedFacts(description: Described, delivery: ArrivedDelivery, body: unknown): DeliveryFacts {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalid("", "TYPE", "The body must be an object.");
  const { providerDeliveryId, eventName, payload } = body as Record<string, unknown>;
  const errors = [
    ...textProblems("/providerDeliveryId", providerDeliveryId, maxIdLength),
    ...textProblems("/eventName", eventName, maxNameLength),
    ...(payload === undefined ? [missingMember("/payload")] : []),
  ];
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The delivery does not match its schema. See errors for each member.",
      errors,
    });
  const [source, { account }] = [{ delivery, body: payload }, description];
  return {
    providerDeliveryId: String(providerDeliveryId),
    eventName: String(eventName),
    named: { event: String(eventName), action: specifiedAction(description, String(eventName), source) },
    account: account !== undefined && isInBody(account) ? accountAt(account, source) : undefined,
    payload: JSON.stringify(payload),
    value: payload,
    bodySha256: sha256(delivery.message.body),
  };
}

function textAt(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === "string" ? member : undefined;
}

const missingMember = (pointer: string): FieldError => ({
  pointer,
  code: "REQUIRED",
  detail: "The member is missing.",
});

function textProblems(pointer: string, value: unknown, maxLength: number): FieldError[] {
  if (value === undefined) return [missingMember(pointer)];
  if (typeof value !== "string") return [{ pointer, code: "TYPE", detail: "Must be a string." }];
  if (value === "") return [{ pointer, code: "TOO_SHORT", detail: "Must not be empty." }];
  if (value.length > maxLength)
    return [{ pointer, code: "TOO_LONG", detail: `Must be at most ${maxLength} characters.` }];
  return isStorable(value)
    ? []
    : [{ pointer, code: "FORMAT", detail: "Must be Unicode text without the character NUL." }];
}

type Described = typeof defaultDescription & { readonly actions: readonly ActionPlace[] };

function vendorFacts(description: Described, source: Source, payload: string, bytes: Buffer): DeliveryFacts {
  const { deliveryId, eventName, account } = description;
  const bodySha256 = sha256(bytes);
  const id = firstValue(deliveryId, source) ?? `sha256-${bodySha256.toString("hex")}`;
  const event = firstValue(eventName, source) ?? "event";
  const does = actionOf(description, event, source);
  const name = does === undefined ? event : `${event}.${does}`;
  const problems = [
    ...textProblems("/providerDeliveryId", id, maxIdLength),
    ...textProblems("/eventName", name, maxNameLength),
  ];
  if (problems.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The delivery has an ID or an event name that cannot be stored. See errors.",
      errors: problems,
    });
  return {
    providerDeliveryId: id,
    eventName: name,
    named: { event, action: does },
    account: account === undefined ? undefined : accountAt(account, source),
    payload,
    value: source.body,
    bodySha256,
  };
}

const accountAt = (path: ValuePath, source: Source): string | undefined => valueAt(path, source)?.slice(0, maxIdLength);

/** The action, with its mark where the delivery has the value that asks for it, else what the vendor's body tells. */
function actionOf({ action, actionMark, actions }: Described, event: string, source: Source): string | undefined {
  const does = action === undefined ? undefined : valueAt(action, source);
  if (does === undefined) return toldAction(actions, event, source.body);
  const isMarked = does !== undefined && actionMark && valueAt(actionMark.when, source) === actionMark.equals;
  return isMarked ? does + actionMark.mark : does;
}

/** Reads the action in the payload only: the headers are the sender's and not the vendor's. */
function specifiedAction(description: Described, event: string, source: Source): string | undefined {
  const { action, ...rest } = description;
  const inBody = action !== undefined && isInBody(action) ? description : rest;
  const actionInBody = toldAction(description.actions, event, source.body);
  return actionInBody ?? actionOf(inBody, event.split(".", 1)[0] ?? event, source) ?? textAt(source.body, "action");
}

const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();
