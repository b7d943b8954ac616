import type { ClientCredentials } from "@factory/platform/client/platform-api";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import type { Person } from "./people.js";
import { platform } from "./platform.js";
import { graphql, request } from "./request.js";
import { platformToken } from "./tenants.js";

interface Tokens {
  readonly status: number;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly error?: string;
}

/** Creates a first-party client with the password grant. */
export async function aPasswordClient(
  tenantId: string,
  scopes: readonly Scope[] = tenantScopes,
): Promise<ClientCredentials> {
  const { body } = await graphql<{ createTenantApiClient: ClientCredentials }>(
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      token: await platformToken(),
      variables: {
        tenantId,
        input: { name: "desk", scopes, grantTypes: ["password", "refresh_token"], firstParty: true },
      },
    },
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.createTenantApiClient;
}

export async function postForm(
  path: string,
  { clientId, clientSecret }: ClientCredentials,
  form: Record<string, string>,
  base = platform().publicUrl,
): Promise<Tokens> {
  const raw = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, body } = await request<Omit<Tokens, "status">>(`POST ${path}`, { base, raw, headers });
  return { ...body, status };
}

export const signedIn = (client: ClientCredentials, { email, password }: Pick<Person, "email" | "password">) =>
  postForm("/connect/token", client, { grant_type: "password", username: email, password });

export const refreshed = (client: ClientCredentials, refreshToken: string, base?: string) =>
  postForm("/connect/token", client, { grant_type: "refresh_token", refresh_token: refreshToken }, base);
