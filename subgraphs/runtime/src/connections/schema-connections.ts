import { createHmac } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";

/** How the roles of one database schema reach the server. */
export interface SchemaConnections {
  readonly schema: SubgraphName;
  /** Runs migrations; owns the tables. */
  readonly owner: string;
  /** Serves requests; owns nothing, sees only the tenant it has set. */
  readonly app: string;
  /** Relays, claims and jobs; sets the tenant before it touches a domain row. */
  readonly worker: string;
}

/** Derived, so that processes that start alone agree without a store of their own. */
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

export function schemaConnections(adminUrl: string, schema: SubgraphName): SchemaConnections {
  const url = new URL(adminUrl);
  return {
    schema,
    owner: urlAs(url, `${schema}_owner`),
    app: urlAs(url, `${schema}_app`),
    worker: urlAs(url, `${schema}_worker`),
  };
}
