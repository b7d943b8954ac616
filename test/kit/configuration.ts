import { request } from "./request.js";

/** Creates or replaces a configuration entry, and returns its key. */
export async function anEntry(token: string, key: string, value: unknown = true): Promise<string> {
  const answer = await request(`PUT /v1/config/${key}`, { token, body: { value } });
  if (answer.status > 201) throw new Error(`PUT of a configuration entry answered ${answer.text}`);
  return key;
}
