import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CommandConnections } from "../vendor-commands/command-connections.js";
import { subscriptionTarget } from "./subscription-statement.js";

/** The commands that notify people. */
const commands = ["SendEmail", "SendSms"] as const;

interface SubscriptionTarget {
  readonly status: string;
  readonly event_type: string | null;
}

/** Finds the connections and webhook subscriptions by which a tenant can be notified. */
export class NotificationTargetService {
  readonly #database: Database;
  readonly #connections: CommandConnections;

  constructor(database: Database, connections: CommandConnections) {
    this.#database = database;
    this.#connections = connections;
  }

  /** The connection that would carry out the command; undefined where the tenant has none. */
  async connection(tenantId: string, command: string): Promise<string | undefined> {
    const type = commands.find((name) => name === command);
    if (type === undefined)
      throw new DomainError("VALIDATION_FAILED", { detail: `The command must be one of ${commands.join(", ")}.` });
    try {
      const { connection } = await this.#connections.choose(tenantOf(tenantId), type, undefined);
      return connection.connectionId;
    } catch (error) {
      if (error instanceof DomainError && error.code === "REFERENCE_NOT_FOUND") return undefined;
      throw error;
    }
  }

  async subscription(tenantId: string, subscriptionId: string): Promise<SubscriptionTarget | undefined> {
    const uuid = decodeId("whs", subscriptionId);
    if (uuid === undefined) return undefined;
    return this.#database.reader.row<SubscriptionTarget>(subscriptionTarget, tenantOf(tenantId), uuid);
  }
}

function tenantOf(tenantId: string): Tenant {
  if (decodeId("ten", tenantId) === undefined)
    throw new DomainError("VALIDATION_FAILED", { detail: "The id of the tenant is malformed." });
  return tenantWithId(tenantId);
}
