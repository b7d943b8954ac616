import { DomainError } from "@factory/runtime/errors/domain-error";
import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import type { Trace } from "@factory/runtime/telemetry/trace";
import { UsageDefinition } from "@factory/schema/proto/generated/factory/spine/v1/usage";

/** One use of a feature, under the key by which it is counted once and given back. */
interface MeteredUse {
  readonly tenantId: string;
  readonly featureKey: string;
  readonly key: string;
  readonly trace?: Trace | undefined;
}

/** Counts what tenants use of their plan. */
export interface UsageMeter {
  /** Throws QUOTA_EXCEEDED or ENTITLEMENT_DENIED. After UNAVAILABLE it is unknown whether the use was counted. */
  consume(use: MeteredUse): Promise<void>;
  /** Gives back the use, if it was counted. */
  release(use: MeteredUse): Promise<void>;
}

const retryAfterSeconds = 5;

/** Whether a plan refuses the use, so that nothing was counted. */
export function isPlanRefusal(error: unknown): boolean {
  return error instanceof DomainError && (error.code === "QUOTA_EXCEEDED" || error.code === "ENTITLEMENT_DENIED");
}

/** Counts usage over gRPC. Without an answer the use is refused with UNAVAILABLE. */
export function usageMeter(channel: GrpcChannel): UsageMeter {
  const client = channel.client(UsageDefinition);
  return {
    async consume({ tenantId, featureKey, key: idempotencyKey, trace }) {
      try {
        await client.consume({ tenantId, featureKey, amount: 1, idempotencyKey }, { trace });
      } catch (error) {
        if (isPlanRefusal(error)) throw error;
        throw new DomainError("UNAVAILABLE", {
          detail: "The plan of the tenant cannot be checked now. Try again in a moment.",
          retryAfterSeconds,
        });
      }
    },
    async release({ tenantId, featureKey, key: idempotencyKey, trace }) {
      await client.release({ tenantId, featureKey, idempotencyKey }, { trace });
    },
  };
}
