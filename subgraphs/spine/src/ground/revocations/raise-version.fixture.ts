import type { Revocation } from "@factory/runtime/auth/revocations";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type pg from "pg";
import { recordRevocation } from "./record-revocation.js";

/** Revokes the subject in this connection's transaction, as a change in its rights does. */
export function raiseVersion(
  connection: Pick<pg.ClientBase, "query">,
  tenantId: string,
  kind: Revocation["kind"],
  subject: string,
): Promise<void> {
  const execute: Transaction["execute"] = async <R>(statement: unknown, values: readonly unknown[] = []) =>
    (await connection.query(statement as string, [...values])).rows as R[];
  return recordRevocation({ execute, tenant: tenantWithId(tenantId), notify: () => undefined }, kind, subject);
}
