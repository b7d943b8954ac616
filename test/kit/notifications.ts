import { request } from "./request.js";
import { aUser } from "./users.js";

/** The smallest notification template. */
export const aTemplateInput = { texts: [{ locale: "en", subject: "News", paragraphs: ["It has arrived."] }] };

/** Creates or replaces a notification template, and returns its key. */
export async function aNotificationTemplate(token: string, key: string): Promise<string> {
  const answer = await request(`PUT /v1/notification-templates/${key}`, { token, body: aTemplateInput });
  if (answer.status > 201) throw new Error(`PUT of a notification template answered ${answer.text}`);
  return key;
}

/** Sends an in-app notification to the user, or to a new one, and returns its id. */
export async function aNotification(token: string, userId?: string): Promise<string> {
  const recipient = { userId: userId ?? (await aUser(token)).userId };
  const body = { channel: "InApp", recipient, title: "News", body: "It has arrived." };
  const answer = await request<{ notificationId: string }>("POST /v1/notifications", { token, body });
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.body.notificationId;
}
