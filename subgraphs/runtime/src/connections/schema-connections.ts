import { createHmac } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { type SchemaRoles, schemaRoles } from "./database-roles.js";

/** A database whose roles are known. `provisionDatabase` and `openDatabaseAccess` return it. */
export interface DatabaseAccess {
  /** The URL of the database administrator. */
  readonly url: string;
  /** Every role name begins with it. */
  readonly rolePrefix: string;
  /** The secret of this database from which the passwords of its roles are derived. */
  readonly roleSecret: string;
}

/** The connection URLs of the three roles of a database schema. */
export interface SchemaConnections {
  readonly schema: SubgraphName;
  /** The role that owns the tables and runs migrations. */
  readonly owner: string;
  /** The role that serves requests. It owns nothing and sees only rows of the tenant it has set. */
  readonly app: string;
  /** The role of background work (relay, claims, jobs). It sets the tenant before it accesses rows of a domain. */
  readonly worker: string;
  readonly roles: SchemaRoles;
}

/** The password of a role: 43 characters that need no escaping. All processes of an installation derive the same. */
export function rolePassword({ roleSecret }: Pick<DatabaseAccess, "roleSecret">, role: string): string {
  return createHmac("sha256", roleSecret).update(`factory role ${role}`).digest("base64url");
}

/** The URL with which the role logs in. */
export function roleUrl(access: DatabaseAccess, role: string): string {
  const url = new URL(access.url);
  // These options go before the user and the password of the URL, so the role would log in as the administrator.
  for (const option of ["user", "password"]) url.searchParams.delete(option);
  url.username = encodeURIComponent(role);
  url.password = rolePassword(access, role);
  return url.href;
}

/** The connection URLs of a subgraph's roles. */
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
