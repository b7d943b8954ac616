import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { DeletedPerson } from "../people/users/personal-data.js";
import type { ErasureRequest } from "./audit-erasure.entity.js";

const batchSize = 2000;
/** The person's records that were still on the bus at the first pass are erased by the last one. */
const lastPassAfterMs = 24 * 60 * 60_000;

const request = namedStatement(
  "request_audit_erasure",
  `insert into audit_erasures (tenant_id, user_id, email, requested_at) values ($tenant, $user, $email, $now)
  on conflict (tenant_id, user_id) do update
    set email = excluded.email, requested_at = excluded.requested_at, erased_at = null`,
);

const due = `select tenant_id, user_id, email, requested_at < $1 as last from audit_erasures
  where erased_at is null or requested_at < $1 order by requested_at limit 100`;

const erase = namedStatement(
  "erase_audit_records",
  "select last_time, last_position from erase_audit_records($tenant, $principal, $email, $time, $position, $batchSize)",
);

type DueRow = RowOf<ErasureRequest, "tenantId" | "userId" | "email"> & { last: boolean };

/** A principal's records, or the records with an e-mail address. */
interface ErasedRecords {
  readonly tenant: string;
  readonly principal: string | null;
  readonly email: string | null;
}

/**
 * Erases deleted people's e-mail addresses, network addresses and user agents. A person can have a million records, so
 * the mutation only stores a request, and the rows are erased in batches soon after it.
 */
export class AuditErasure {
  readonly #workers: Pool;
  readonly #clock: () => Date;

  constructor(workers: Pool, clock: () => Date) {
    this.#workers = workers;
    this.#clock = clock;
  }

  /** Stores the request in the transaction that deletes the user. */
  readonly request = async (
    { defer, tenant }: Pick<Transaction, "defer" | "tenant">,
    { userId, formerEmail }: DeletedPerson,
  ): Promise<void> => {
    const facts = {
      user: decodeId("usr", userId),
      email: mailAddressKey(formerEmail),
      now: this.#clock().toISOString(),
    };
    await defer(request, request.valuesOf({ tenant: tenant.uuid, ...facts }));
  };

  /** Erases for all requests that are due. A killed process begins its request again. */
  async run(signal: AbortSignal): Promise<void> {
    const lastPassBefore = new Date(this.#clock().getTime() - lastPassAfterMs);
    while (!signal.aborted) {
      const { rows } = await this.#workers.query<DueRow>(due, [lastPassBefore]);
      if (rows.length === 0) return;
      for (const row of rows) if (!signal.aborted) await this.#erase(row, signal);
    }
  }

  async #erase({ tenant_id: tenant, user_id: user, email, last }: DueRow, signal: AbortSignal): Promise<void> {
    await this.#eraseBatches({ tenant, principal: encodeId("usr", user), email: null }, signal);
    await this.#eraseBatches({ tenant, principal: null, email }, signal);
    if (signal.aborted) return;
    await this.#workers.query(
      last
        ? "delete from audit_erasures where tenant_id = $1 and user_id = $2"
        : "update audit_erasures set erased_at = $3 where tenant_id = $1 and user_id = $2",
      last ? [tenant, user] : [tenant, user, this.#clock()],
    );
  }

  async #eraseBatches(records: ErasedRecords, signal: AbortSignal): Promise<void> {
    let after: Record<"time" | "position", unknown> = { time: "-infinity", position: 0 };
    while (!signal.aborted) {
      const values = erase.valuesOf({ ...records, ...after, batchSize });
      const { rows } = await this.#workers.query<{ last_time: Date; last_position: string }>(erase.text, values);
      const [last] = rows;
      if (!last) return;
      after = { time: last.last_time, position: last.last_position };
    }
  }
}
