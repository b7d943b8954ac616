import { aCredential } from "./credentials.js";
import { aProvider } from "./providers.js";
import { request } from "./request.js";
import { aVendor } from "./vendor.js";

/** Establishes a connection to the provider and returns its id. */
export async function aConnection(
  token: string,
  providerId: string,
  input: Record<string, unknown> = {},
): Promise<string> {
  const answer = await request<{ connectionId: string }>("POST /integrations/connections", {
    token,
    body: { providerId, displayName: "Acme", authMode: "ApiKey", ...input },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.connectionId;
}

/** Checks a connection until it has lost its authorization, and then until the vendor accepts it again. */
export async function aReauthorizedConnection(token: string): Promise<string> {
  const vendor = await aVendor();
  const { credentialRef } = await aCredential(token, { kind: "BearerToken", secret: { token: "key" } });
  const driver = { probe: { method: "GET", path: "/me" } };
  const provider = { key: "checked", authModel: "BearerToken", baseUrl: vendor.baseUrl, driver };
  const providerId = await aProvider(token, provider);
  // The vendor does not know the key yet, so the run that verifies the connection is rejected.
  const connectionId = await aConnection(token, providerId, { authMode: "BearerToken", credentialRef });
  const check = () =>
    request(`POST /integrations/connections/${connectionId}/check`, {
      ...{ token, body: {}, headers: { prefer: "wait=20" } },
    });
  for (let checks = 0; checks < 3; checks += 1) await check();
  vendor.accepted.add("key");
  await check();
  await vendor.close();
  return connectionId;
}
