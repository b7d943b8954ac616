import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { NotificationTargetsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/notification_targets";

/** A tenant's webhook subscription. */
export interface SubscriptionTarget {
  readonly status: string;
  /** Empty for the direction Inbound. */
  readonly eventType: string;
}

/**
 * The ways in the integration subgraph by which a tenant can be notified. Throws UNAVAILABLE and UPSTREAM_TIMEOUT while
 * integration does not answer.
 */
export interface NotificationTargets {
  /** Whether the tenant has a connection that can carry out the command. */
  hasConnection(tenant: Tenant, command: "SendEmail" | "SendSms"): Promise<boolean>;
  /** Undefined where the tenant has no such subscription. */
  subscription(tenant: Tenant, subscriptionId: string): Promise<SubscriptionTarget | undefined>;
}

/** Asks integration over gRPC (integration.v1.NotificationTargets). */
export function notificationTargets(channel: GrpcChannel): NotificationTargets {
  const client = channel.client(NotificationTargetsDefinition);
  return {
    async hasConnection({ tenantId }, command) {
      return (await client.findConnection({ tenantId, command })).connectionId !== "";
    },
    async subscription({ tenantId }, subscriptionId) {
      const { status, eventType } = await client.findSubscription({ tenantId, subscriptionId });
      return status === "" ? undefined : { status, eventType };
    },
  };
}
