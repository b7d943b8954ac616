import type { Principal } from "@factory/runtime/auth/principal";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { platformScopes, type Scope } from "@factory/schema/scopes";
import type { GraphQLFormattedError } from "graphql";
import type pg from "pg";

/** A value in a GraphQL result, untyped like a `JSON.parse` result. */
export type Json = ReturnType<JSON["parse"]>;

export interface Answer {
  data: Record<string, Json> | null;
  /** The first error's extensions. */
  refusal: Record<string, Json> | undefined;
  errors: readonly GraphQLFormattedError[];
  replayed: boolean;
}

/** The requests that tests send to a spine, in this process or in another one. */
export abstract class SpineCaller {
  /** Connects as superuser, which sees every tenant's rows. */
  abstract readonly admin: pg.Pool;

  abstract ask(
    principal: Principal | undefined,
    document: string,
    variables?: Record<string, unknown>,
    idempotencyKey?: string,
  ): Promise<Answer>;

  /** The slug for a tenant with this name. */
  slugOf(name: string): string {
    return name;
  }

  async eventsOf(tenantId: string): Promise<Envelope[]> {
    const { rows } = await this.admin.query<{ envelope: Envelope }>(
      "select envelope from spine.outbox where envelope->>'tenantid' = $1 and envelope->>'messagekind' = 'event' order by seq",
      [tenantId],
    );
    return rows.map(({ envelope }) => envelope);
  }

  async registerTenant(name: string, editionCode = "Standard"): Promise<Record<string, Json>> {
    const slug = this.slugOf(name);
    const input = { name: `Tenant ${slug}`, slug, editionCode, ownerEmail: "owner@example.com" };
    const { data, errors } = await this.ask(
      platformAdmin(),
      "mutation ($input: RegisterTenantInput!) { registerTenant(input: $input) { tenantId name slug status editionCode createdAt subscriptionId } }",
      { input },
    );
    if (!data) throw new Error(JSON.stringify(errors));
    return data["registerTenant"];
  }

  provision(tenantId: string, principal = platformAdmin()): Promise<Answer> {
    return this.ask(
      principal,
      "mutation ($tenantId: ID!) { provisionTenant(tenantId: $tenantId) { tenantId status runId } }",
      { tenantId },
    );
  }

  async tenantStatus(tenantId: string): Promise<string> {
    const { data } = await this.entity(platformAdmin(), tenantId);
    return data?.["_entities"][0]?.status;
  }

  entity(principal: Principal | undefined, tenantId: string): Promise<Answer> {
    return this.ask(
      principal,
      "query ($of: [_Any!]!) { _entities(representations: $of) { ... on Tenant { tenantId slug status subscriptionId } } }",
      { of: [{ __typename: "Tenant", tenantId }] },
    );
  }

  async activeTenant(slug: string): Promise<string> {
    const { tenantId } = await this.registerTenant(slug);
    await this.provision(tenantId);
    await until(async () => (await this.tenantStatus(tenantId)) === "Active");
    return tenantId;
  }
}

export async function until(condition: () => Promise<boolean>, patienceMs = 180_000): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error("It did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function platformAdmin(changes: Partial<Principal> = {}): Principal {
  return { ...principal(platformTenantId, platformScopes), platformAdmin: true, ...changes };
}

export function principal(tenantId: string, scopes: readonly Scope[]): Principal {
  return {
    subject: "cli_test",
    clientId: "cli_test",
    tenantId,
    tenantSlug: undefined,
    scopes: new Set(scopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "test",
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
}
