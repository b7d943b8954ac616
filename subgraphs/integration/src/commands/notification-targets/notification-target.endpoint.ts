import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { NotificationTargetsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/notification_targets";
import type { NotificationTargetService } from "./notification-target.service.js";

/** The gRPC service integration.v1.NotificationTargets. Only the spine may call it, because only the spine notifies. */
export function notificationTargetEndpoint(targets: NotificationTargetService): GrpcService {
  return grpcService(
    NotificationTargetsDefinition,
    {
      async findConnection({ tenantId, command }) {
        return { connectionId: (await targets.connection(tenantId, command)) ?? "" };
      },
      async findSubscription({ tenantId, subscriptionId }) {
        const target = await targets.subscription(tenantId, subscriptionId);
        return { status: target?.status ?? "", eventType: target?.event_type ?? "" };
      },
    },
    ["spine"],
  );
}
