import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";

const peopleWith = {
  name: "people_with_scope",
  text: `select principal_id from role_assignments join roles using (tenant_id, role_id)
    where tenant_id = $1 and principal_id like 'usr\\_%' and (expires_at is null or expires_at > now())
      and $2 = any (scopes)
    group by principal_id order by min(assigned_at), principal_id limit $3`,
};

/** The users (`usr_…`) whose roles have the scope, those who have had it for longest first, in any state. */
export async function peopleWithScope(
  { execute, tenant }: Transaction,
  scope: Scope,
  limit: number,
): Promise<string[]> {
  const rows = await execute<{ principal_id: string }>(peopleWith, [tenant.uuid, scope, limit]);
  return rows.map((row) => row.principal_id);
}
