import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { IdPrefix } from "@factory/schema/id-prefixes";
import type { Scope } from "@factory/schema/scopes";
import { readWebhookDeliveries } from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import { isEventType, mayRead } from "../../event-types/event-access/event-access.js";
import { readRuns } from "../../runs/run.type.js";
import { readWebhookSubscriptions } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import type { CausalMemberType } from "./causal-chain.type.js";
import type { ChainEventRow, ChainObjectRow } from "./chain-statement.js";

const mayReadEvent = (type: string, reader: Principal) => isEventType(type) && mayRead(type, reader);

/** The member without what only a reader may see. */
export function asShown(member: CausalMemberType): CausalMemberType {
  if (member.readable) return member;
  const { kind, type, time, readable } = member;
  const hidden = { id: null, status: null, causationId: null, subjectPath: null, traceId: null, connectionId: null };
  return { kind, type, time, readable, ...hidden };
}

/** The member of an event, and that of the command which it answers. */
export function eventMembers(row: ChainEventRow, reader: Principal): CausalMemberType[] {
  const { type, time, causation_id: causationId, subject, trace_id: traceId, connection_id: connectionId } = row;
  const readable = mayReadEvent(type, reader);
  const id = encodeId("evt", row.event_id);
  const event = { type, time, readable, id, status: null, causationId, subjectPath: subject, traceId, connectionId };
  return [...commandMembers(row, readable), { kind: "Event", ...event }];
}

/** A command is not in the event log. Its id has the time at which it was made. */
function commandMembers({ causation_id: id, command, trace_id: traceId }: ChainEventRow, readable: boolean) {
  const uuid = id === null ? undefined : decodeId("cmd", id);
  if (uuid === undefined) return [];
  const time = new Date(Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16)).toISOString();
  const rest = { status: null, causationId: null, subjectPath: null, connectionId: null };
  return [{ kind: "Command" as const, type: command, time, readable, id, traceId, ...rest }];
}

const kinds = {
  Run: { prefix: "run", resource: "runs", scopes: readRuns.scopes },
  Delivery: { prefix: "whd", resource: "deliveries", scopes: readWebhookDeliveries.scopes },
  Webhook: { prefix: "msg", resource: "webhook-subscriptions", scopes: readWebhookSubscriptions.scopes },
} as const satisfies Record<
  Exclude<ChainObjectRow["kind"], "Command">,
  { prefix: IdPrefix; resource: string; scopes: readonly Scope[] }
>;

/** The members of runs, deliveries and webhooks. */
export const objectMembers = (rows: readonly ChainObjectRow[], reader: Principal): CausalMemberType[] =>
  rows.flatMap((row) => (row.kind === "Command" ? [] : objectMember(row, row.kind, reader)));

function objectMember(row: ChainObjectRow, kind: keyof typeof kinds, { scopes: held }: Principal): CausalMemberType {
  const { type, status, connection_id, subscription_id, event_id, trace_id: traceId } = row;
  const { prefix, resource, scopes } = kinds[kind];
  const id = encodeId(prefix, row.id);
  return {
    ...{ kind, type, status, id, traceId },
    time: row.time.toISOString(),
    readable: scopes.some((scope) => held.has(scope)),
    causationId: event_id === null ? null : encodeId("evt", event_id),
    subjectPath: `${resource}/${subscription_id === null ? id : encodeId("whs", subscription_id)}`,
    connectionId: connection_id === null ? null : encodeId("con", connection_id),
  };
}

/** Adds to the members of commands to vendors what their rows tell. */
export function completeCommands(members: readonly CausalMemberType[], rows: readonly ChainObjectRow[]): void {
  const commands = new Map(members.flatMap((one) => (one.kind === "Command" ? [[one.id, one] as const] : [])));
  for (const { kind, id, type, status, connection_id } of rows) {
    const command = kind === "Command" ? commands.get(encodeId("cmd", id)) : undefined;
    if (!command) continue;
    const connectionId = connection_id === null ? null : encodeId("con", connection_id);
    Object.assign(command, { type, status, connectionId });
  }
}

/** The ids of the objects that events name, as UUIDs without repetitions. */
export function namedIds(prefix: "run" | "whd" | "cmd", ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.flatMap((id) => (id === null ? [] : (decodeId(prefix, id) ?? []))))];
}
