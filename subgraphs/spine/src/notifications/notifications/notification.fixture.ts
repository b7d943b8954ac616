import type { Principal } from "@factory/runtime/auth/principal";
import type { Scope } from "@factory/schema/scopes";
import { type Json, principal, type RunningSpine } from "../../running-spine.fixture.js";

export const notificationFields = `notificationId messageId channel category priority title body status failureReason
  createdAt sentAt deliveredAt readAt recipient { userId email phone subscriptionId }`;

export const sendDocument = `mutation ($input: SendNotificationInput!) {
  sendNotification(input: $input) { notificationId notificationIds messageId status createdAt } }`;

/** A person in the tenant with these scopes. */
export const personWith = (tenantId: string, userId: string, ...scopes: Scope[]): Principal => ({
  ...principal(tenantId, scopes),
  subject: userId,
  principalType: "User",
});

/** Sends a notification and returns the answer. */
export async function sent(
  platform: RunningSpine,
  tenantId: string,
  input: Record<string, unknown>,
): Promise<{ notificationId: string; notificationIds: string[]; messageId: string; status: string }> {
  const { data, errors } = await platform.ask(principal(tenantId, ["notification.send"]), sendDocument, { input });
  if (!data) throw new Error(JSON.stringify(errors));
  return data["sendNotification"];
}

/** The notification, as a tenant's service sees it. */
export async function notificationNow(platform: RunningSpine, tenantId: string, id: string): Promise<Json> {
  const query = `query ($id: ID!) { notification(notificationId: $id) { ${notificationFields} } }`;
  const { data } = await platform.ask(principal(tenantId, ["notification.read"]), query, { id });
  return data?.["notification"];
}
