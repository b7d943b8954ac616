import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { SettingKey } from "@factory/schema/tenant-setting-values";
import { isHeldByPlatform } from "../../rights/access-control/platform-hold-statement.js";

const platformClientsKey: SettingKey = "governance.allowPlatformClients";

/** Throws PLATFORM_CLIENT_REFUSED when a client that the platform holds changes whether the platform may make clients. */
export async function requireTenantsOwnChange(
  transaction: Transaction,
  context: RequestContext,
  key: string,
): Promise<void> {
  if (key !== platformClientsKey || !(await isHeldByPlatform(transaction, principalOf(context)))) return;
  throw new DomainError("PLATFORM_CLIENT_REFUSED", {
    detail: `The platform made the client that asks, so it does not change ${platformClientsKey}. Ask a person of the tenant.`,
  });
}
