import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { unknownConnection } from "../../connections/connections/locked-connection.js";
import { unknownSubscription } from "../../webhooks/webhook-subscriptions/locked-subscription.js";
import { refusalsOf } from "./refusal-statement.js";
import type { RefusedDeliveriesType } from "./refused-deliveries.type.js";

interface RefusalRow {
  count: string;
  last_reason: string | null;
  first_refused_at: Date | null;
  last_refused_at: Date | null;
}

/** Reads what was refused at a tenant's URLs. */
export class RefusedDeliveriesService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND. */
  async ofSubscription(context: RequestContext, subscriptionId: string): Promise<RefusedDeliveriesType> {
    const refusals = await this.#read(context, "subscription", decodeId("whs", subscriptionId));
    if (!refusals) throw unknownSubscription();
    return refusals;
  }

  /** Throws CONNECTION_NOT_FOUND. */
  async ofConnection(context: RequestContext, connectionId: string): Promise<RefusedDeliveriesType> {
    const refusals = await this.#read(context, "connection", decodeId("con", connectionId));
    if (!refusals) throw unknownConnection();
    return refusals;
  }

  async #read(
    context: RequestContext,
    kind: keyof typeof refusalsOf,
    uuid: string | undefined,
  ): Promise<RefusedDeliveriesType | undefined> {
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<RefusalRow>(refusalsOf[kind], tenantOf(context), uuid);
    return (
      row && {
        count: Number(row.count),
        lastReason: row.last_reason,
        firstRefusedAt: row.first_refused_at?.toISOString() ?? null,
        lastRefusedAt: row.last_refused_at?.toISOString() ?? null,
      }
    );
  }
}
