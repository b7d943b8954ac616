import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import { moneyCommands, type VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import { lacksIdempotencyKeys } from "../../providers/provider-drivers/required-keys.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { candidateConnections } from "./candidate-connection-statement.js";
import { capabilities } from "./completed-data.js";

/** A connection with its provider. */
export interface CommandConnection {
  readonly connection: ConnectionRecord;
  readonly provider: ProviderRecord;
}

interface Services {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
}

/** Whether the driver tells how the command is carried out. Money moves only with idempotency keys. */
const carriesOut = (driver: ProviderDriver, type: VendorCommandType): boolean =>
  driver.commands?.[type] === undefined
    ? type === "SendEmail" && driver.smtp !== undefined
    : !(moneyCommands.includes(type) && lacksIdempotencyKeys(driver));

/** Finds the connections by which commands are carried out. */
export class CommandConnections {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The connection that the command names, or one that the tenant has. Throws REFERENCE_NOT_FOUND or INVALID_STATE. */
  async choose(tenant: Tenant, type: VendorCommandType, namedConnection: unknown): Promise<CommandConnection> {
    return typeof namedConnection === "string" ? this.#named(tenant, type, namedConnection) : this.#any(tenant, type);
  }

  /** Undefined when the connection or its provider is gone. */
  async find(tenant: Tenant, connectionId: string): Promise<CommandConnection | undefined> {
    const connection = await this.#services.connections.record(tenant, connectionId);
    const provider = connection && (await this.#services.providers.record(tenant, connection.providerId));
    return connection && provider && { connection, provider };
  }

  async #named(tenant: Tenant, type: VendorCommandType, connectionId: string): Promise<CommandConnection> {
    const commandConnection = await this.find(tenant, connectionId);
    if (!commandConnection)
      throw new DomainError("REFERENCE_NOT_FOUND", { detail: `The tenant has no connection ${connectionId}.` });
    const { connection, provider } = commandConnection;
    const capability = capabilities[type];
    if (!provider.capabilities.includes(capability) || !carriesOut(provider.driver, type))
      throw new DomainError("REFERENCE_NOT_FOUND", {
        detail: `The provider of the connection ${connectionId} needs the capability ${capability}, and a driver that describes ${type}.`,
      });
    if (connection.status !== "Active")
      throw new DomainError("INVALID_STATE", {
        detail: `The connection ${connectionId} is ${connection.status}, so its vendor is not called.`,
        currentState: connection.status,
        allowed: ["Active"],
      });
    return commandConnection;
  }

  async #any(tenant: Tenant, type: VendorCommandType): Promise<CommandConnection> {
    const capability = capabilities[type];
    const { reader } = this.#services.database;
    const rows = await reader.rows<{ connection_id: string }>(candidateConnections, tenant, capability);
    for (const { connection_id } of rows) {
      const commandConnection = await this.find(tenant, encodeId("con", connection_id));
      if (commandConnection && carriesOut(commandConnection.provider.driver, type)) return commandConnection;
    }
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: `The tenant has no Active connection to a provider with the capability ${capability} and a driver that describes ${type}.`,
    });
  }
}
