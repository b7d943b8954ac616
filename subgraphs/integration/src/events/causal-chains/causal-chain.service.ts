import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { IdPrefix } from "@factory/schema/id-prefixes";
import type { Scope } from "@factory/schema/scopes";
import { readWebhookDeliveries } from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import { isEventType, mayRead } from "../../event-types/event-access/event-access.js";
import { readRuns } from "../../runs/run.type.js";
import { readWebhookSubscriptions } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import type { CausalChainType, CausalMemberType } from "./causal-chain.type.js";
import {
  type ChainEventRow,
  type ChainObjectRow,
  chainEvents,
  chainObjects,
  chainStart,
  maxMembers,
} from "./chain-statement.js";

/** A chain reads many events, so few are read at once. */
const limits = { maxPerTenant: 2, maxTotal: 6 };

/** Finds what has happened under one correlation id. */
export class CausalChainService {
  readonly #database: Database;
  readonly #maxScanned: number;
  readonly #limiter = new ConcurrencyLimiter(limits, "causal chains");

  /** `maxScanned`: how many of the tenant's events are looked at on each side of the event. */
  constructor(database: Database, maxScanned: number) {
    this.#database = database;
    this.#maxScanned = maxScanned;
  }

  async chainOf(context: RequestContext, eventId: string): Promise<CausalChainType> {
    const tenant = tenantOf(context);
    const uuid = decodeId("evt", eventId);
    const row =
      uuid === undefined
        ? undefined
        : await this.#database.reader.row<{ sequence: string; correlation_id: string }>(chainStart, tenant, uuid);
    if (!row)
      throw new DomainError("NOT_FOUND", {
        detail: "The event log of the tenant does not have this event. Events are kept for 7 days.",
      });
    return this.#limiter.run(tenant.tenantId, () => this.#chain(context, eventId, row.sequence, row.correlation_id));
  }

  async #chain(
    context: RequestContext,
    eventId: string,
    sequence: string,
    correlationId: string,
  ): Promise<CausalChainType> {
    const [tenant, reader] = [tenantOf(context), principalOf(context)];
    const values = chainEvents.valuesOf({ sequence, correlationId, limit: maxMembers + 1, scanned: this.#maxScanned });
    const events = await this.#database.reader.rows<ChainEventRow>(chainEvents, tenant, ...values);
    const objects = await this.#objects(tenant, correlationId, events);
    const membersOfEvents = once(events.flatMap((row) => eventMembers(row, reader)));
    completeCommands(membersOfEvents, objects);
    const members = [...membersOfEvents, ...objectMembers(objects, reader)].sort(
      (first, other) => Date.parse(first.time) - Date.parse(other.time),
    );
    const isReadable = members.some(({ id, readable }) => id === eventId && readable);
    return {
      correlationId: isReadable ? correlationId : null,
      members: members.slice(0, maxMembers).map(asShown),
      truncated: members.length > maxMembers,
      complete: events[0]?.complete ?? false,
    };
  }

  #objects(tenant: Tenant, correlationId: string, events: readonly ChainEventRow[]): Promise<ChainObjectRow[]> {
    const runs = events.flatMap((event) => [event.run_id, event.verification_run_id]);
    const deliveries = events.map((event) => event.delivery_id);
    const commands = events.map((event) => event.causation_id);
    const values = chainObjects.valuesOf({
      ...{ correlationId, limit: maxMembers + 1 },
      runs: namedIds("run", runs),
      deliveries: namedIds("whd", deliveries),
      events: events.map((event) => event.event_id),
      commands: namedIds("cmd", commands),
    });
    return this.#database.reader.rows<ChainObjectRow>(chainObjects, tenant, ...values);
  }
}

/** Several events may answer one command. */
function once(members: readonly CausalMemberType[]): CausalMemberType[] {
  const commands = new Map<string, CausalMemberType>();
  return members.filter((member) => {
    if (member.kind !== "Command" || member.id === null) return true;
    const command = commands.get(member.id);
    if (!command) commands.set(member.id, member);
    else command.type ??= member.type;
    return !command;
  });
}

const mayReadEvent = (type: string, reader: Principal) => isEventType(type) && mayRead(type, reader);

/** The member without what only a reader may see. */
function asShown(member: CausalMemberType): CausalMemberType {
  if (member.readable) return member;
  const { kind, type, time, readable } = member;
  const hidden = { id: null, status: null, causationId: null, subjectPath: null, traceId: null, connectionId: null };
  return { kind, type, time, readable, ...hidden };
}

/** The event's member in the chain, and a member for the command that the event answers. */
function eventMembers(row: ChainEventRow, reader: Principal): CausalMemberType[] {
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

/** The members that are runs, deliveries and webhooks. */
const objectMembers = (rows: readonly ChainObjectRow[], reader: Principal): CausalMemberType[] =>
  rows.flatMap((row) => (row.kind === "Command" ? [] : objectMember(row, row.kind, reader)));

function objectMember(
  row: ChainObjectRow,
  kind: keyof typeof kinds,
  { scopes: ownScopes }: Principal,
): CausalMemberType {
  const { type, status, connection_id, subscription_id, event_id, trace_id: traceId } = row;
  const { prefix, resource, scopes } = kinds[kind];
  const id = encodeId(prefix, row.id);
  return {
    ...{ kind, type, status, id, traceId },
    time: row.time.toISOString(),
    readable: scopes.some((scope) => ownScopes.has(scope)),
    causationId: event_id === null ? null : encodeId("evt", event_id),
    subjectPath: `${resource}/${subscription_id === null ? id : encodeId("whs", subscription_id)}`,
    connectionId: connection_id === null ? null : encodeId("con", connection_id),
  };
}

/** Adds what the rows tell to the members that are commands to vendors. */
function completeCommands(members: readonly CausalMemberType[], rows: readonly ChainObjectRow[]): void {
  const commands = new Map(
    members.flatMap((member) => (member.kind === "Command" ? [[member.id, member] as const] : [])),
  );
  for (const { kind, id, type, status, connection_id } of rows) {
    const command = kind === "Command" ? commands.get(encodeId("cmd", id)) : undefined;
    if (!command) continue;
    const connectionId = connection_id === null ? null : encodeId("con", connection_id);
    Object.assign(command, { type, status, connectionId });
  }
}

/** The ids of the objects that events name, as UUIDs without repetitions. */
function namedIds(prefix: "run" | "whd" | "cmd", ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.flatMap((id) => (id === null ? [] : (decodeId(prefix, id) ?? []))))];
}
