import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * The channel on which a tenant announces that its providers, webhook subscriptions or connections have changed, so that
 * other secrets may verify its deliveries. The payload is the UUID of the tenant.
 */
export const inboundSourcesChanged = "inbound_sources_changed";

/** Announces after the commit that other secrets may verify deliveries of the tenant. */
export function announceInboundSources({ notify, tenant }: Transaction): void {
  notify(inboundSourcesChanged, tenant.uuid);
}
