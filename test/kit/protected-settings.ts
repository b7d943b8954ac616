import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { SettingKey, TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { aSignInClient, browserTokens } from "./code-flow.js";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { aPerson } from "./people.js";
import { type Json, request } from "./request.js";
import { aPasswordClient, signedIn } from "./sign-ins.js";
import { platformToken, type TestTenant } from "./tenants.js";

/** Sets a known setting as a person does. The platform administrator approves a weaker value for a protected one. */
export async function setByPeople<Key extends SettingKey>(
  tenant: TestTenant,
  key: Key,
  value: TenantSettingValues[Key],
): Promise<void> {
  const owner = await aPerson(tenant, "TenantOwner");
  const { access_token: token } = await signedIn(await aPasswordClient(tenant.tenantId), owner);
  const answer = await request<Json>(`PUT /v1/config/${key}`, { token, body: { value } });
  if (answer.status > 202) throw new Error(answer.text);
  if (answer.status !== 202) return;
  const change = `/v1/tenants/${tenant.tenantId}/setting-changes/${String(answer.body["approvalId"])}`;
  const approval = await request(`POST ${change}/approve`, { token: await platformToken(), body: {} });
  if (approval.status !== 200) throw new Error(approval.text);
}

const key = "retention.auditLogDays";
/** The default is 365. Each value is weaker than the one before. */
let days = 365;

/** A weaker value that waits for a second person, and the person who asked for it, with a token. */
export async function aSettingChange(tenant: TestTenant) {
  const owner = await aPerson(tenant, "TenantOwner");
  const { access_token: token } = await signedIn(await aPasswordClient(tenant.tenantId), owner);
  days -= 1;
  const { body } = await request<Json>(`PUT /v1/config/${key}`, { token, body: { value: days } });
  return { owner, token, approvalId: String(body["approvalId"]), value: days };
}

/** A new user, and a token for another person, who did not invite the user and has just signed in in a browser. */
export async function aNewcomer(tenant: TestTenant) {
  const [{ userId }, outsider] = [await aPerson(tenant), await aPerson(tenant, "TenantOwner")];
  const longAgo = "update spine.user_origins set joined_at = now() - interval '31 days' where principal = $1";
  await rows(longAgo, [outsider.userId]);
  const scope = "governance.approve";
  const studio = await aSignInClient(tenant.tenantId, { firstParty: true, scopes: [scope] });
  return { userId, token: (await browserTokens(studio, outsider, scope)).access_token };
}

/** Causes UserConfirmed and all events about a protected setting: requested, approved, rejected, withdrawn, expired. */
export async function changeProtectedSetting(tenant: TestTenant): Promise<void> {
  const post = async (path: string, token: string) => {
    const answer = await request(`POST ${path}`, { token, body: {} });
    if (answer.status !== 200) throw new Error(answer.text);
  };
  const withdrawn = await aSettingChange(tenant);
  await post(`/v1/approvals/${withdrawn.approvalId}/withdraw`, withdrawn.token);
  const { approvalId: expiredId } = await aSettingChange(tenant);
  await rows("update spine.approvals set valid_until = now() where approval_id = $1", [decodeId("apr", expiredId)]);
  await rows("update spine_jobs.job set start_after = now() where data->>'approvalId' = $1", [expiredId]);
  const ofExpired = "select status from spine.approvals where approval_id = $1";
  await eventually("the change has expired", async () => {
    const [approval] = await rows<{ status: string }>(ofExpired, [decodeId("apr", expiredId)]);
    return approval?.status === "Expired";
  });
  for (const decision of ["reject", "approve"]) {
    const { approvalId } = await aSettingChange(tenant);
    const change = `/v1/tenants/${tenant.tenantId}/setting-changes/${approvalId}`;
    await post(`${change}/${decision}`, await platformToken());
  }
  const newcomer = await aNewcomer(tenant);
  await post(`/v1/users/${newcomer.userId}/confirm`, newcomer.token);
}

/** Brings back a setting's default without a person, where a test is about something else. */
export async function forgetSetting({ tenantId }: TestTenant, key: SettingKey): Promise<void> {
  await rows("delete from spine.configuration_entries where tenant_id = $1 and key = $2", [
    decodeId("ten", tenantId),
    key,
  ]);
  await rows("select pg_notify('spine_configuration', $1)", [tenantId]);
}
