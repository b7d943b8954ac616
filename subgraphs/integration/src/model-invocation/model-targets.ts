import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Fallback } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { ConnectionService } from "../connections/connection.service.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import type { ProviderService } from "../providers/provider.service.js";

/** The capability that a call needs of the provider of its connection. */
export type ModelCapability = "model.complete" | "model.embed" | "model.stream";

/** A model behind a connection. */
export interface ModelTarget {
  readonly connection: ConnectionRecord;
  readonly model: string;
}

/** The models to ask, in their order. */
export interface ModelTargets {
  readonly first: ModelTarget;
  readonly fallback: (ModelTarget & { readonly afterMs: number }) | undefined;
}

interface Wanted {
  readonly connectionId: string;
  readonly model: string;
  readonly fallback?: Fallback | undefined;
}

const defaultAfterMs = 60_000;

/** Finds the connections of a call. */
export class ModelTargetFinder {
  readonly #connections: ConnectionService;
  readonly #providers: ProviderService;

  constructor(connections: ConnectionService, providers: ProviderService) {
    this.#connections = connections;
    this.#providers = providers;
  }

  /** Throws CONNECTION_NOT_FOUND or CAPABILITY_MISSING, for the fallback too. */
  async find(
    tenant: Tenant,
    { connectionId, model, fallback }: Wanted,
    capability: ModelCapability,
  ): Promise<ModelTargets> {
    const [first, second] = await Promise.all([
      this.#connection(tenant, connectionId, capability),
      fallback && this.#connection(tenant, fallback.connectionId, capability),
    ]);
    return {
      first: { connection: first, model },
      fallback: second && {
        connection: second,
        model: fallback?.model || model,
        afterMs: fallback?.afterMs ?? defaultAfterMs,
      },
    };
  }

  async #connection(tenant: Tenant, connectionId: string, capability: ModelCapability): Promise<ConnectionRecord> {
    const connection = await this.#connections.record(tenant, connectionId);
    if (!connection)
      throw new DomainError("CONNECTION_NOT_FOUND", {
        detail: "No connection with this id exists in this tenant. List the connections to find the id.",
      });
    const provider = await this.#providers.record(tenant, connection.providerId);
    if (provider && !provider.capabilities.includes(capability))
      throw new DomainError("CAPABILITY_MISSING", {
        detail: `The provider of the connection does not have the capability ${capability}. Add it to the provider, or use another connection.`,
      });
    return connection;
  }
}
