import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * The channel on which a tenant announces that its providers, webhook subscriptions or connections have changed, so
 * that other secrets may verify its deliveries. The payload is the tenant's UUID.
 */
export const inboundSourcesChanged = "inbound_sources_changed";

/** Announces after the commit that other secrets may verify the tenant's deliveries. */
export function announceInboundSources({ notify, tenant }: Transaction): void {
  notify(inboundSourcesChanged, tenant.uuid);
}
