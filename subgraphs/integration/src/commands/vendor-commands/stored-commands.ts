import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { toldBy } from "./payments/payment-records.js";
import type { ToldOutcome } from "./payments/reported-end.js";
import { commandBinding } from "./sealed-commands.js";
import { VendorCommand } from "./vendor-command.entity.js";
import type { VendorCommandState } from "./vendor-command.states.js";

/** A command that has not ended, with its opened data. */
export interface OpenCommand {
  readonly commandId: string;
  readonly type: VendorCommandType;
  readonly connectionId: string;
  /** Empty once the vendor has accepted the command. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date | null;
  /** When the first attempt may have reached the vendor; null for none. Noted only where money moves. */
  readonly askedAt: Date | null;
  /** Whether the vendor has accepted the command, and only its report is missing. */
  readonly isAwaited: boolean;
  readonly vendorId: string | null;
  /** The outcome that the vendor has reported. */
  readonly told: ToldOutcome | undefined;
}

/** A command to be stored. `data` is absent for a command that was rejected at its arrival. */
interface NewVendorCommand {
  readonly commandId: string;
  readonly type: VendorCommandType;
  readonly status: VendorCommandState;
  readonly connectionId?: string;
  readonly providerId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: Date | null;
  readonly errorCode?: string;
}

const openMembers = [
  "type",
  "status",
  "connectionId",
  "keyId",
  "wrappedKey",
  "ciphertext",
  "expiresAt",
  "vendorReference",
  "askedAt",
  "reportedOutcome",
  "reportedDeliveryId",
] as const satisfies (keyof VendorCommand)[];
/** An open command has a connection. */
type CommandRow = RowOf<VendorCommand, (typeof openMembers)[number]> & { connection_id: string };
const readCommand = rowReader(VendorCommand);

const knownCommand = tenantStatement(
  "vendor_command_known",
  "select true as known from vendor_commands where tenant_id = scope.tenant and command_id = $2",
);

const openCommand = tenantStatement(
  "vendor_command_open",
  `select ${columnsOf(VendorCommand, openMembers)}
   from vendor_commands where tenant_id = scope.tenant and command_id = $2 and status in ('Accepted', 'Awaited')`,
);

const insertCommand = namedStatement(
  "vendor_command_insert",
  `insert into vendor_commands (tenant_id, command_id, type, status, connection_id, provider_id, key_id, wrapped_key,
      ciphertext, expires_at, error_code, ended_at)
    values ($tenant, $command, $type, $status, $connection, $provider, $keyId, $wrappedKey, $ciphertext, $expiresAt,
      $errorCode, case when $status <> 'Accepted' then now() end)
    on conflict (tenant_id, command_id) do nothing returning true as inserted`,
);

const noteRun = {
  name: "vendor_command_run",
  text: "update vendor_commands set run_id = $3 where tenant_id = $1 and command_id = $2",
};

const endCommand = namedStatement(
  "vendor_command_end",
  `update vendor_commands set status = $status, vendor_reference = coalesce($vendorReference, vendor_reference),
      error_code = $errorCode, ended_at = now(), key_id = null, wrapped_key = null, ciphertext = null
    where tenant_id = $tenant and command_id = $command and status in ('Accepted', 'Awaited') returning provider_id`,
);

/** The stored commands to vendors. Their data is sealed until they end. */
export class StoredCommands {
  readonly #database: Database;
  readonly #seal: EnvelopeSeal;

  constructor(database: Database, seal: EnvelopeSeal) {
    this.#database = database;
    this.#seal = seal;
  }

  async isKnown(tenant: Tenant, commandId: string): Promise<boolean> {
    return (await this.#database.reader.row(knownCommand, tenant, uuidOf(commandId))) !== undefined;
  }

  /** Undefined when the command has ended. */
  async open(tenant: Tenant, commandId: string): Promise<OpenCommand | undefined> {
    const row = await this.#database.reader.row<CommandRow>(openCommand, tenant, uuidOf(commandId));
    if (!row) return undefined;
    const { type, status, expiresAt, askedAt, vendorReference } = readCommand(row);
    return {
      ...{ commandId, type, expiresAt, askedAt },
      connectionId: encodeId("con", row.connection_id),
      data: this.#opened(row, commandBinding(tenant.tenantId, commandId)),
      isAwaited: status === "Awaited",
      vendorId: vendorReference,
      told: toldBy(row),
    };
  }

  #opened({ key_id: keyId, wrapped_key: wrappedKey, ciphertext }: CommandRow, boundRow: string): OpenCommand["data"] {
    if (keyId === null || wrappedKey === null || ciphertext === null) return {};
    return JSON.parse(this.#seal.open({ keyId, wrappedKey, ciphertext }, boundRow).toString());
  }

  /** False, without any change: the command is known already. */
  async insert({ execute, tenant }: Transaction, command: NewVendorCommand): Promise<boolean> {
    const { commandId, type, status, connectionId, providerId, data, expiresAt = null, errorCode = null } = command;
    const plain = data && Buffer.from(JSON.stringify(data));
    const sealedData = plain && this.#seal.seal(plain, commandBinding(tenant.tenantId, commandId));
    const values = insertCommand.valuesOf({
      ...{ tenant: tenant.uuid, command: uuidOf(commandId), type, status, errorCode },
      connection: connectionId === undefined ? null : decodeId("con", connectionId),
      provider: providerId === undefined ? null : decodeId("prv", providerId),
      keyId: sealedData?.keyId ?? null,
      wrappedKey: sealedData?.wrappedKey ?? null,
      ciphertext: sealedData?.ciphertext ?? null,
      expiresAt: expiresAt?.toISOString() ?? null,
    });
    const [insertedRow] = await execute(insertCommand, values);
    return insertedRow !== undefined;
  }

  async noteRun({ defer, tenant }: Transaction, commandId: string, runId: string): Promise<void> {
    await defer(noteRun, [tenant.uuid, uuidOf(commandId), decodeId("run", runId)]);
  }

  /** The command's provider. Undefined, without any change: the command has ended before. */
  async end(
    { execute, tenant }: Transaction,
    commandId: string,
    end: { status: VendorCommandState; vendorReference?: string | null; errorCode?: string },
  ): Promise<string | undefined> {
    const { status, vendorReference = null, errorCode = null } = end;
    const change = { tenant: tenant.uuid, command: uuidOf(commandId), status, vendorReference, errorCode };
    const [endedRow] = await execute<{ provider_id: string }>(endCommand, endCommand.valuesOf(change));
    return endedRow && encodeId("prv", endedRow.provider_id);
  }
}

function uuidOf(commandId: string): string {
  const uuid = decodeId("cmd", commandId);
  if (uuid === undefined) throw new Error(`"${commandId}" is not a valid command id.`);
  return uuid;
}
