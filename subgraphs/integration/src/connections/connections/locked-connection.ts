import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { type ConnectionRecord, type ConnectionRow, connectionColumns, readConnection } from "./connection.view.js";

const lockOne = {
  name: "connection_lock",
  text: `select ${connectionColumns} from connections
    where tenant_id = $1 and connection_id = $2 and status <> 'Deleted' for no key update`,
};

/** The connection, locked until the transaction ends. Throws CONNECTION_NOT_FOUND. */
export async function lockedConnection(
  { execute, tenant }: Transaction,
  connectionId: string,
): Promise<ConnectionRecord> {
  const uuid = decodeId("con", connectionId);
  const [row] = uuid === undefined ? [] : await execute<ConnectionRow>(lockOne, [tenant.uuid, uuid]);
  if (!row) throw unknownConnection();
  return readConnection(row);
}

/** The refusal for an id that the tenant does not have, or for a connection that was deleted. */
export function unknownConnection(): DomainError {
  return new DomainError("CONNECTION_NOT_FOUND", { detail: "The connection does not exist in this tenant." });
}
