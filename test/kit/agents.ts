import { randomBytes } from "node:crypto";
import { accessToken, type ClientCredentials, createTenantClient } from "@factory/platform/client/platform-api";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { platform } from "./platform.js";
import { graphql, type Json, type Response, request } from "./request.js";
import { platformToken } from "./tenants.js";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Creates a client that acts for others as an agent. */
export async function anAgent(tenantId: string, scopes: readonly Scope[] = tenantScopes): Promise<ClientCredentials> {
  const { body } = await graphql<{ createTenantApiClient: ClientCredentials }>(
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      token: await platformToken(),
      variables: {
        tenantId,
        input: {
          name: "agent",
          scopes,
          principalType: "Agent",
          grantTypes: ["client_credentials", tokenExchange],
        },
      },
    },
  );
  return body.data.createTenantApiClient;
}

/** Creates a service client. Agents act for it, or it decides on approvals. */
export async function aService(tenantId: string, scopes: readonly Scope[] = tenantScopes) {
  const client = await createTenantClient(platform(), await platformToken(), tenantId, { name: "service", scopes });
  return { ...client, token: await accessToken(platform(), client) };
}

/** Exchanges this token at the token endpoint as the agent, for `task-1` unless the form names another task. */
export function exchange(
  { clientId, clientSecret }: ClientCredentials,
  subjectToken: string,
  form: Record<string, string> = {},
): Promise<Response<Json>> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return request("POST /connect/token", {
    raw: new URLSearchParams({
      grant_type: tokenExchange,
      subject_token: subjectToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      agent_task_id: "task-1",
      ...form,
    }).toString(),
    headers: { authorization: `Basic ${credentials}`, "content-type": "application/x-www-form-urlencoded" },
  });
}

/** A Pending approval that an agent waits for; returns its id. */
export async function aPendingApproval(tenantId: string): Promise<string> {
  const [agent, service] = await Promise.all([anAgent(tenantId), aService(tenantId, ["templates.publish"])]);
  const agentTaskId = randomBytes(6).toString("hex");
  const { body } = await exchange(agent, service.token, { agent_task_id: agentTaskId, scope: "templates.publish" });
  return String(body["approval_id"]);
}
