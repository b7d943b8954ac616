import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * An address that gets no more mails in a category. The row is kept for ever, and has a digest in place of the address,
 * so that it outlives the address itself.
 */
@Entity(tenantTable("unsubscribed_addresses"))
export class UnsubscribedAddress {
  [PrimaryKeyProp]?: ["tenantId", "addressDigest", "category"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** SHA-256 over the tenant and the address in the form that `mailAddressKey` makes, as hex. */
  @PrimaryKey({ type: "text" })
  addressDigest: string;

  @PrimaryKey({ type: "text" })
  category: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
