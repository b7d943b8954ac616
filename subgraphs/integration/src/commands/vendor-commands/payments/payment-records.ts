import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";
import type { ToldOutcome } from "./reported-end.js";

/** The columns for what a vendor has told. */
interface ToldColumns {
  vendor_reference: string | null;
  reported_outcome: ReportedOutcome | null;
  reported_delivery_id: string | null;
}

/** The outcome that the vendor has told; undefined while it has told nothing. */
export function toldBy({
  vendor_reference,
  reported_outcome,
  reported_delivery_id,
}: ToldColumns): ToldOutcome | undefined {
  if (reported_outcome === null) return undefined;
  const deliveryId = reported_delivery_id === null ? null : encodeId("whd", reported_delivery_id);
  return { outcome: reported_outcome, vendorId: vendor_reference, deliveryId };
}

const connectionOfPayment = tenantStatement(
  "vendor_command_payment_connection",
  `select connection_id from vendor_commands
   where tenant_id = scope.tenant and vendor_reference = $2 and type = 'ChargePayment' order by received_at desc limit 1`,
);

const markAsked = {
  name: "vendor_command_asked",
  text: `update vendor_commands set asked_at = case when $3 then now() end
    where tenant_id = $1 and command_id = $2 and status = 'Accepted'`,
};

const awaitReport = {
  name: "vendor_command_await",
  text: `update vendor_commands set status = 'Awaited', vendor_reference = coalesce(vendor_reference, $3), key_id = null,
      wrapped_key = null, ciphertext = null, asked_at = case when status = 'Accepted' then now() else asked_at end
    where tenant_id = $1 and command_id = $2 and status in ('Accepted', 'Awaited')
    returning vendor_reference, reported_outcome, reported_delivery_id`,
};

const toldOutcome = {
  name: "vendor_command_told",
  text: `select vendor_reference, reported_outcome, reported_delivery_id from vendor_commands
    where tenant_id = $1 and command_id = $2 and status in ('Accepted', 'Awaited') for update`,
};

const noteReport = namedStatement(
  "vendor_command_report",
  `update vendor_commands set reported_outcome = $outcome, reported_delivery_id = $delivery,
      vendor_reference = coalesce(vendor_reference, $vendorId)
    where tenant_id = $tenant and command_id = $command and status in ('Accepted', 'Awaited', 'DeadLettered')
      and reported_outcome is null
    returning status, vendor_reference, reported_outcome, reported_delivery_id`,
);

const settleLate = namedStatement(
  "vendor_command_settle_late",
  `update vendor_commands set status = $status, error_code = $errorCode
    where tenant_id = $tenant and command_id = $command and status = 'DeadLettered'`,
);

/** The facts that are stored for commands that move money, beside those for every command. */
export class PaymentRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The connection by which the vendor's payment was charged. Undefined for a payment that is unknown here. */
  async connectionOf(tenant: Tenant, paymentRef: string): Promise<string | undefined> {
    const { reader } = this.#database;
    const row = await reader.row<{ connection_id: string }>(connectionOfPayment, tenant, paymentRef);
    return row && encodeId("con", row.connection_id);
  }

  /** Notes before the request that the vendor may carry out the command from now on, or that it did nothing after all. */
  markAsked(tenant: Tenant, cause: Cause, commandId: string, isAsked: boolean): Promise<void> {
    return this.#database.transaction(tenant, cause, async ({ execute }) => {
      await execute(markAsked, [...keyOf(tenant, commandId), isAsked]);
    });
  }

  /** Notes that the vendor has accepted the command, and when first. Returns its report if that was faster. */
  async awaitReport(
    { execute, tenant }: Transaction,
    commandId: string,
    vendorId: string | null,
  ): Promise<ToldOutcome | undefined> {
    const [row] = await execute<ToldColumns>(awaitReport, [...keyOf(tenant, commandId), vendorId]);
    return row && toldBy(row);
  }

  /** The outcome that the vendor has reported for a command that has not ended. */
  async told({ execute, tenant }: Transaction, commandId: string): Promise<ToldOutcome | undefined> {
    const [row] = await execute<ToldColumns>(toldOutcome, keyOf(tenant, commandId));
    return row && toldBy(row);
  }

  /**
   * Notes the first report about a command that was not answered, or that was given up. Undefined: it was answered
   * before.
   */
  async noteReport(
    { execute, tenant }: Transaction,
    commandId: string,
    { outcome, vendorId, deliveryId }: ToldOutcome,
  ): Promise<{ wasGivenUp: boolean; told: ToldOutcome | undefined } | undefined> {
    const delivery = deliveryId === null ? null : (decodeId("whd", deliveryId) ?? null);
    const values = noteReport.valuesOf({ ...commandOf(tenant, commandId), outcome, delivery, vendorId });
    const [row] = await execute<ToldColumns & { status: string }>(noteReport, values);
    return row && { wasGivenUp: row.status === "DeadLettered", told: toldBy(row) };
  }

  async settleLate({ execute, tenant }: Transaction, commandId: string, errorCode: string | null): Promise<void> {
    const status = errorCode === null ? "Done" : "Failed";
    await execute(settleLate, settleLate.valuesOf({ ...commandOf(tenant, commandId), status, errorCode }));
  }
}

const commandOf = ({ uuid }: Tenant, commandId: string) => ({
  tenant: uuid,
  command: decodeId("cmd", commandId) ?? null,
});

const keyOf = (tenant: Tenant, commandId: string) => Object.values(commandOf(tenant, commandId));
