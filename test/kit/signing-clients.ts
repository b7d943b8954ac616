import type { Scope } from "@factory/schema/scopes";
import { type CryptoKey, exportJWK, generateKeyPair } from "jose";
import { platform } from "./platform.js";
import { graphql } from "./request.js";
import { platformToken } from "./tenants.js";

/** A client's private key. The platform has the public key. */
export interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
  readonly jwk: Record<string, unknown>;
}

export async function aSigningKey(kid: string, alg = "ES256"): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

/** Creates a service with a key and without a secret, and returns its client id. */
export async function aSigningClient(
  tenantId: string,
  keys: readonly SigningKey[],
  scopes: readonly Scope[] = ["templates.read"],
): Promise<string> {
  const { body } = await graphql<{ createTenantApiClient: { clientId: string; clientSecret: null } }>(
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      token: await platformToken(),
      variables: { tenantId, input: { name: "signer", scopes, jwks: { keys: keys.map(({ jwk }) => jwk) } } },
    },
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  const { clientId, clientSecret } = body.data.createTenantApiClient;
  if (clientSecret !== null) throw new Error("A client with keys got a secret");
  return clientId;
}

/** Sends a client's token request with a signed assertion. */
export function sendAssertion(assertion: string): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  return fetch(`${platform().publicUrl}/connect/token`, { method: "POST", body });
}
