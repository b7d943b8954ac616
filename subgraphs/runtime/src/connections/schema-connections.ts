import { createHmac } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";

/** The connection URLs of the three roles of a database schema. */
export interface SchemaConnections {
  readonly schema: SubgraphName;
  /** The role that owns the tables and runs migrations. */
  readonly owner: string;
  /** The role that serves requests. It owns nothing and sees only rows of the tenant it has set. */
  readonly app: string;
  /** The role of background work (relay, claims, jobs). It sets the tenant before it accesses rows of a domain. */
  readonly worker: string;
}

/**
 * The password of a role, derived from the URL of the superuser, so that separate processes agree without storing it.
 */
export function rolePassword(adminUrl: URL, role: string): string {
  return createHmac("sha256", adminUrl.password || "no password")
    .update(`factory role ${role}`)
    .digest("base64url");
}

function urlAs(adminUrl: URL, role: string): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = rolePassword(adminUrl, role);
  return url.href;
}

/** The connection URLs of a subgraph's roles, derived from the URL of the superuser. */
export function schemaConnections(adminUrl: string, schema: SubgraphName): SchemaConnections {
  const url = new URL(adminUrl);
  return {
    schema,
    owner: urlAs(url, `${schema}_owner`),
    app: urlAs(url, `${schema}_app`),
    worker: urlAs(url, `${schema}_worker`),
  };
}
