import { randomBytes } from "node:crypto";
import type { Scope } from "@factory/schema/scopes";
import { graphql } from "./request.js";

const unique = () => `r${randomBytes(6).toString("hex")}`;

/** Creates a role in the tenant and returns its id. */
export async function aRole(token: string, scopes: readonly Scope[] = ["user.read"]): Promise<string> {
  const code = unique();
  const { body } = await graphql<{ createRole: { roleId: string } }>(
    "mutation ($input: CreateRoleInput!) { createRole(input: $input) { roleId } }",
    { token, variables: { input: { code, name: code, scopes } } },
  );
  return body.data.createRole.roleId;
}

/** Creates a client that can be assigned roles and returns its id. */
export async function aClientId(token: string): Promise<string> {
  const { body } = await graphql<{ createApiClient: { clientId: string } }>(
    "mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId } }",
    { token, variables: { input: { name: unique(), scopes: ["user.read"] } } },
  );
  return body.data.createApiClient.clientId;
}
