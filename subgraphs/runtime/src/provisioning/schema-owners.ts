import type { SubgraphName } from "@factory/schema/subgraph-names";
import type { ClientBase } from "pg";
import { schemaRoles } from "../connections/database-roles.js";
import { EnvironmentError } from "../environment/read-environment.js";

/**
 * Throws EnvironmentError when a schema belongs to a role that the platform would not use: the database was renamed, restored under
 * another name or copied. Two databases must not share roles by accident, so a setting decides.
 */
export async function refuseForeignOwners(
  client: ClientBase,
  prefix: string,
  schemas: readonly SubgraphName[],
): Promise<void> {
  const { rows } = await client.query<{ schema: SubgraphName; owner: string }>(
    `select nspname as schema, rolname as owner from pg_namespace join pg_roles on nspowner = pg_roles.oid
     where nspname = any($1::text[])`,
    [schemas],
  );
  for (const { schema, owner } of rows) {
    const expected = schemaRoles(prefix, schema).owner;
    if ([expected, `${schema}_owner`].includes(owner)) continue;
    const end = `_${schema}_owner`;
    const way = owner.endsWith(end)
      ? `Set DATABASE_ROLE_PREFIX to "${owner.slice(0, -end.length)}" to go on with the roles of this database.`
      : "Give the schemas and their objects to the roles of this platform first.";
    throw new EnvironmentError(`The schema ${schema} belongs to the role "${owner}" and not to "${expected}". ${way}`);
  }
}
