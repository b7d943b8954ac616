import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";

/** Makes the tenant's audit log due for its daily seal, as if its records were from yesterday. */
export async function letADayPass(tenantId: string): Promise<void> {
  await eventually("the audit log has records that no seal covers", async () => {
    const due = await rows(
      `update spine.audit_heads set unsealed_since = now() - interval '1 day'
       where tenant_id = $1 and unsealed_since is not null returning position`,
      [decodeId("ten", tenantId)],
    );
    return due.length === 1;
  });
}

/** Waits until the log has a seal that is newer than a position, and returns it. */
export async function aSealAfter(tenantId: string, position: number): Promise<{ position: number; jws: string }> {
  let seal: { position: number; jws: string } | undefined;
  await eventually("the audit log is sealed", async () => {
    [seal] = await rows<{ position: number; jws: string }>(
      `select position::int, jws from spine.audit_seals where tenant_id = $1 and position > $2
       order by position desc limit 1`,
      [decodeId("ten", tenantId), position],
    );
    return seal !== undefined;
  });
  return seal as { position: number; jws: string };
}
