import { request } from "./request.js";

/** Establishes a connection to the provider and returns its id. */
export async function aConnection(
  token: string,
  providerId: string,
  input: Record<string, unknown> = {},
): Promise<string> {
  const established = await request<{ connectionId: string }>("POST /integrations/connections", {
    token,
    body: { providerId, displayName: "Acme", authMode: "ApiKey", ...input },
  });
  if (established.status !== 201) throw new Error(established.text);
  return established.body.connectionId;
}
