import { randomBytes } from "node:crypto";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { platform } from "./platform.js";
import { graphql, request } from "./request.js";

export interface TestTenant {
  readonly tenantId: string;
  readonly slug: string;
  /** A service client's access token with these scopes, or with every scope that a tenant has. */
  tokenWith(...scopes: Scope[]): Promise<string>;
}

export async function platformToken(...scopes: Scope[]): Promise<string> {
  const bootstrap = await readJson<ClientCredentials>(platform().dataDir, "bootstrap.json");
  return accessToken(platform(), bootstrap, scopes.length === 0 ? undefined : scopes.join(" "));
}

/** Registers and provisions a new tenant, with the edition Standard unless the caller names another one. */
export async function aTenant(editionCode?: string): Promise<TestTenant> {
  const admin = await platformToken();
  const slug = `t${randomBytes(6).toString("hex")}`;
  if (editionCode !== undefined) {
    const body = { name: `Tenant ${slug}`, slug, editionCode, ownerEmail: `owner@${slug}.example` };
    await request("POST /v1/tenants", { token: admin, body });
  }
  const { tenantId } = await ensureTenant(platform(), admin, slug, `Tenant ${slug}`);
  const client = await createTenantClient(platform(), admin, tenantId, { name: "test", scopes: tenantScopes });
  return {
    tenantId,
    slug,
    tokenWith: (...scopes) => accessToken(platform(), client, scopes.length === 0 ? undefined : scopes.join(" ")),
  };
}

/** Changes a tenant's state as the platform administrator, and returns the new status. */
export async function moved(
  { tenantId }: Pick<TestTenant, "tenantId">,
  move: "suspendTenant" | "resumeTenant" | "archiveTenant",
): Promise<unknown> {
  const query = `mutation ($tenantId: ID!) { ${move}(tenantId: $tenantId, input: { reason: "Test" }) { status } }`;
  const { body } = await graphql<Record<string, { status: string }>>(query, {
    token: await platformToken(),
    variables: { tenantId },
  });
  return body.data?.[move]?.status;
}
