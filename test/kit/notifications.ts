import { request } from "./request.js";
import { aUser } from "./users.js";

/** Sends an in-app notification to the user, or to a new one, and returns its id. */
export async function aNotification(token: string, userId?: string): Promise<string> {
  const recipient = { userId: userId ?? (await aUser(token)).userId };
  const body = { channel: "InApp", recipient, title: "News", body: "It has arrived." };
  const answer = await request<{ notificationId: string }>("POST /v1/notifications", { token, body });
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.body.notificationId;
}
