import { createHmac } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { type SchemaRoles, schemaRoles } from "./database-roles.js";

/** A database whose roles are known. `provisionDatabase` and `openDatabaseAccess` return it. */
export interface DatabaseAccess {
  /** The database administrator's URL. */
  readonly url: string;
  /** Every role name begins with it. */
  readonly rolePrefix: string;
  /** This database's secret, from which its roles' passwords are derived. */
  readonly roleSecret: string;
}

/** The connection URLs for a database schema's three roles. */
export interface SchemaConnections {
  readonly schema: SubgraphName;
  /** The role that owns the tables and runs migrations. */
  readonly owner: string;
  /** The role that serves requests. It owns nothing and sees only rows that belong to the tenant it has set. */
  readonly app: string;
  /** The role for background work (relay, claims, jobs). It sets the tenant before it accesses a domain's rows. */
  readonly worker: string;
  readonly roles: SchemaRoles;
}

/** A role's password: 43 characters that need no escaping. All processes in an installation derive the same. */
export function rolePassword({ roleSecret }: Pick<DatabaseAccess, "roleSecret">, role: string): string {
  return createHmac("sha256", roleSecret).update(`factory role ${role}`).digest("base64url");
}

/** The URL with which the role logs in. */
export function roleUrl(access: DatabaseAccess, role: string): string {
  const url = new URL(access.url);
  // These options go before the URL's user and password, so the role would log in as the administrator.
  for (const option of ["user", "password"]) url.searchParams.delete(option);
  url.username = encodeURIComponent(role);
  url.password = rolePassword(access, role);
  return url.href;
}

/** The connection URLs for a subgraph's roles. */
export function schemaConnections(access: DatabaseAccess, schema: SubgraphName): SchemaConnections {
  const roles = schemaRoles(access.rolePrefix, schema);
  return {
    schema,
    owner: roleUrl(access, roles.owner),
    app: roleUrl(access, roles.app),
    worker: roleUrl(access, roles.worker),
    roles,
  };
}
