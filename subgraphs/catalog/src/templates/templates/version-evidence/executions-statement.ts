import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: executions

const isExecutedStatement = {
  name: "template_version_is_executed",
  text: `select exists (select from executions where tenant_id = $1 and template_version_id = $2
      and ($3::integer is null or template_revision = $3)) as executed`,
};

/** Whether an execution names the version; with a revision, whether one names this revision. */
export async function isExecuted(
  { execute, tenant }: Transaction,
  templateVersionId: string,
  revision: number | null = null,
): Promise<boolean> {
  const values = [tenant.uuid, decodeId("tpv", templateVersionId), revision];
  const [row] = await execute<{ executed: boolean }>(isExecutedStatement, values);
  return row?.executed === true;
}
