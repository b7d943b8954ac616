import { randomBytes } from "node:crypto";
import { request } from "./request.js";

interface TestCredential {
  readonly credentialId: string;
  readonly credentialRef: string;
}

/** Creates a credential. By default it is a webhook secret that the platform can generate. */
export async function aCredential(token: string, changes: Record<string, unknown> = {}): Promise<TestCredential> {
  const signingSecret = `whsec_${randomBytes(32).toString("base64")}`;
  const body = {
    name: `credential-${randomBytes(6).toString("hex")}`,
    kind: "WebhookSigning",
    secret: { signingSecret },
    ...changes,
  };
  const answer = await request<TestCredential>("POST /integrations/credentials", { token, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
