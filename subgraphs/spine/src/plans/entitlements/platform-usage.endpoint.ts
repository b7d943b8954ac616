import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { UsageDefinition } from "@factory/schema/proto/generated/factory/spine/v1/usage";
import { checkedOrder } from "./check-order.js";
import type { EntitlementService } from "./entitlement.service.js";

/**
 * The gRPC service spine.v1.Usage, for the platform's subgraphs. The certificate authenticates the caller, which may
 * act for every tenant.
 */
export function usageEndpoint(entitlements: EntitlementService): GrpcService {
  const questionOf = (tenantId: string, { trace, caller: actorId }: ServiceCallContext) => ({
    ...{ tenant: tenantWithId(tenantId), cause: { trace, actorId }, consumer: "platform" as const },
  });
  return grpcService(
    UsageDefinition,
    {
      async consume({ tenantId, featureKey, amount: requestedUsage, idempotencyKey }, call) {
        const order = checkedOrder({ featureKey, requestedUsage, idempotencyKey, subjectId: "", consume: true });
        await entitlements.require(questionOf(tenantId, call), order);
        return {};
      },
      async release({ tenantId, featureKey, idempotencyKey }, call) {
        const order = checkedOrder({ featureKey, idempotencyKey, subjectId: "", consume: true });
        await entitlements.release(questionOf(tenantId, call), order);
        return {};
      },
    },
    ["catalog", "integration"],
  );
}
