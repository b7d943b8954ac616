import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CausalChainType, CausalMemberType } from "./causal-chain.type.js";
import { asShown, completeCommands, eventMembers, namedIds, objectMembers } from "./chain-members.js";
import {
  type ChainEventRow,
  type ChainObjectRow,
  chainEvents,
  chainObjects,
  chainStart,
  maxMembers,
} from "./chain-statement.js";

/** A chain reads many events, so few of them are read at once. */
const limits = { maxPerTenant: 2, maxTotal: 6 };

/** Finds what has happened under one correlation id. */
export class CausalChainService {
  readonly #database: Database;
  readonly #maxScanned: number;
  readonly #limiter = new ConcurrencyLimiter(limits, "causal chains");

  /** `maxScanned`: how many events of the tenant are looked at on each side of the event. */
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
    const told = once(events.flatMap((row) => eventMembers(row, reader)));
    completeCommands(told, objects);
    const members = [...told, ...objectMembers(objects, reader)].sort(
      (one, other) => Date.parse(one.time) - Date.parse(other.time),
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
    const known = commands.get(member.id);
    if (!known) commands.set(member.id, member);
    else known.type ??= member.type;
    return !known;
  });
}
