import { request } from "./request.js";

/** Creates or replaces a feature flag, and returns its key. */
export async function aFlag(token: string, key: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await request(`PUT /v1/feature-flags/${key}`, { token, body: { enabled: true, ...body } });
  if (answer.status > 201) throw new Error(`PUT of a feature flag answered ${answer.text}`);
  return key;
}
