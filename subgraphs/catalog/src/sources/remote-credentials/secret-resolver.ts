import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import type { Trace } from "@factory/runtime/telemetry/trace";
import { SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";

/** A tenant's secret, decrypted for one use. */
export interface ResolvedSecret {
  /** The credential's kind. It determines the members of `material`. */
  readonly kind: string;
  readonly version: number;
  /** The decrypted members. They are for this use only: never store or log them. */
  readonly material: Record<string, unknown>;
}

interface ResolveOptions {
  readonly trace?: Trace;
  readonly signal?: AbortSignal;
}

/** Resolves a tenant's secret. `purpose` and `subject` (such as `executions/exe_…`) go into the audit log. */
export interface SecretResolver {
  resolve(
    tenantId: string,
    credentialRef: string,
    purpose: string,
    subject: string,
    options?: ResolveOptions,
  ): Promise<ResolvedSecret>;
}

/**
 * Resolves secrets over gRPC. Throws the service's errors: CREDENTIAL_NOT_FOUND, INVALID_STATE, UNAVAILABLE and others.
 */
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
