import type { TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { type RunningSpine, signedIn } from "../running-spine.fixture.js";

const changing = ["config.manage", "governance.approve"] as const;

/** Sets a known setting as a person does, and lets another person approve a weaker value. */
export async function setByTwo<Key extends keyof TenantSettingValues>(
  platform: RunningSpine,
  tenantId: string,
  key: Key,
  value: TenantSettingValues[Key],
): Promise<void> {
  const set =
    "mutation ($key: ID!, $input: SetConfigurationInput!) { set: setConfigEntry(key: $key, input: $input) { approvalId } }";
  const { data, errors } = await platform.ask(signedIn(tenantId, changing), set, { key, input: { value } });
  const approvalId = data?.["set"].approvalId;
  const approve = `mutation { approveScopes(approvalId: "${approvalId}") { status } }`;
  const refusals = approvalId ? (await platform.ask(signedIn(tenantId, changing), approve)).errors : errors;
  if (refusals.length > 0) throw new Error(JSON.stringify(refusals));
}
