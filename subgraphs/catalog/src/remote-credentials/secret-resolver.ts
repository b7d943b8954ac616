import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import type { Trace } from "@factory/runtime/telemetry/trace";
import { SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";

export interface ResolvedSecret {
  /** Kind of the credential; it says which members `material` has. */
  readonly kind: string;
  readonly version: number;
  /** For the one use it was asked for: kept nowhere, logged nowhere. */
  readonly material: Record<string, unknown>;
}

export interface ResolveOptions {
  readonly trace?: Trace;
  readonly signal?: AbortSignal;
}

/** Asks for a tenant's secret; `purpose` and `subject` (such as `executions/exe_…`) go into the audit log. */
export interface SecretResolver {
  resolve(
    tenantId: string,
    credentialRef: string,
    purpose: string,
    subject: string,
    options?: ResolveOptions,
  ): Promise<ResolvedSecret>;
}

/** Refuses as the service does: CREDENTIAL_NOT_FOUND, INVALID_STATE, UNAVAILABLE … */
export function secretResolver(channel: GrpcChannel): SecretResolver {
  const client = channel.client(SecretsDefinition);
  return {
    async resolve(tenantId, credentialRef, purpose, subject, options = {}) {
      const request = { tenantId, credentialRef, purpose, subject };
      const { kind, version, material } = await client.resolve(request, options);
      return { kind, version, material: JSON.parse(Buffer.from(material).toString()) as Record<string, unknown> };
    },
  };
}
