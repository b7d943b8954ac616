import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import type { VendorCommandState } from "./vendor-command.states.js";

/**
 * A command to a vendor. The primary key refuses the same command a second time for as long as the row is kept. Workers
 * write the sealed data again after the master key has changed, and delete old rows.
 */
@Entity(workerTable("vendor_commands"))
@Index({ name: "vendor_commands_ended_at", properties: ["endedAt"], where: "ended_at is not null" })
@Index({
  name: "vendor_commands_of_vendor",
  properties: ["tenantId", "vendorReference", "providerId"],
  where: "vendor_reference is not null",
})
@Index({ name: "vendor_commands_open", properties: ["tenantId", "providerId"], where: "status = 'Accepted'" })
export class VendorCommand {
  [PrimaryKeyProp]?: ["tenantId", "commandId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("cmd") })
  commandId: string;

  @Property({ type: "text" })
  type: VendorCommandType;

  @Property({ type: "text" })
  status: VendorCommandState;

  /** Null where the command was rejected at its arrival. */
  @Property({ type: wireId("run"), nullable: true })
  runId: string | null;

  /** The connection and its provider are null as well then. */
  @Property({ type: wireId("con"), nullable: true })
  connectionId: string | null;

  @Property({ type: wireId("prv"), nullable: true })
  providerId: string | null;

  /** The data as JSON text, encrypted. The three columns are null after the end. */
  @Property({ type: "text", nullable: true })
  keyId: string | null;

  @Property({ type: "blob", nullable: true })
  wrappedKey: Buffer | null;

  @Property({ type: "blob", nullable: true })
  ciphertext: Buffer | null;

  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;

  /** The id that the vendor gave to the thing that the command has made. */
  @Property({ type: "text", nullable: true })
  vendorReference: string | null;

  /** When an attempt has begun that may have reached the vendor, then when it accepted. Only for commands that move money. */
  @Property({ type: "timestamptz", nullable: true })
  askedAt: Date | null;

  /** The first outcome that the vendor has reported, with the delivery that told it. Only for commands that move money. */
  @Property({ type: "text", nullable: true })
  reportedOutcome: ReportedOutcome | null;

  @Property({ type: wireId("whd"), nullable: true })
  reportedDeliveryId: string | null;

  @Property({ type: "text", nullable: true })
  errorCode: string | null;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  receivedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  endedAt: Date | null;
}
