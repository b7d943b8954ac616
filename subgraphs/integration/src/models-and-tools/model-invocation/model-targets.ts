import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Fallback } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { PreparedReads } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { KnownTarget, KnownTargets } from "./known-targets.js";
import type { TargetStateRow } from "./target-state-statement.js";

/** The capability that a call needs from its connection's provider. */
export type ModelCapability = "model.complete" | "model.embed" | "model.stream";

/** A model behind a connection. */
export interface ModelTarget extends KnownTarget {
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

/** Finds a call's connections. */
export class ModelTargetFinder {
  readonly #known: KnownTargets;
  readonly #connections: ConnectionService;
  readonly #providers: ProviderService;

  constructor(knownTargets: KnownTargets, connections: ConnectionService, providers: ProviderService) {
    this.#known = knownTargets;
    this.#connections = connections;
    this.#providers = providers;
  }

  /**
   * The first model may be as it was some time ago, so it is checked before it is asked. Throws CONNECTION_NOT_FOUND or
   * CAPABILITY_MISSING, for the fallback too.
   */
  async find(tenant: Tenant, request: Wanted, capability: ModelCapability): Promise<ModelTargets> {
    const { connectionId, model, fallback } = request;
    const [first, second] = await Promise.all([
      this.#known.find(tenant, connectionId),
      fallback && this.#read(tenant, fallback.connectionId),
    ]);
    return {
      first: { ...requireCapability(first, capability), model },
      fallback: fallback && {
        ...requireCapability(second, capability),
        model: fallback.model || model,
        afterMs: fallback.afterMs ?? defaultAfterMs,
      },
    };
  }

  /**
   * The targets as they are, with the first one's reads where it has not changed before its state was read. Throws as
   * `find` when it has changed.
   */
  async confirm(
    { tenant, cause }: { readonly tenant: Tenant; readonly cause: Cause },
    request: Wanted,
    capability: ModelCapability,
    { targets, state }: { readonly targets: ModelTargets; readonly state: TargetStateRow | undefined },
  ): Promise<{ readonly targets: ModelTargets; readonly reads: PreparedReads | undefined }> {
    const reads = this.#known.confirmed(tenant, cause, targets.first, state);
    if (reads) return { targets, reads };
    this.#known.forget(tenant, request.connectionId);
    return { targets: await this.find(tenant, request, capability), reads: undefined };
  }

  async #read(tenant: Tenant, connectionId: string): Promise<KnownTarget | undefined> {
    const connection = await this.#connections.record(tenant, connectionId);
    return connection && { connection, provider: await this.#providers.record(tenant, connection.providerId) };
  }
}

function requireCapability(target: KnownTarget | undefined, capability: ModelCapability): KnownTarget {
  if (!target)
    throw new DomainError("CONNECTION_NOT_FOUND", {
      detail: "No connection with this id exists in this tenant. List the connections to find the id.",
    });
  if (target.provider && !target.provider.capabilities.includes(capability))
    throw new DomainError("CAPABILITY_MISSING", {
      detail: `The provider of the connection does not have the capability ${capability}. Add it to the provider, or use another connection.`,
    });
  return target;
}
