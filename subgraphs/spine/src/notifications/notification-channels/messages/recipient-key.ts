import { hash } from "node:crypto";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { QueuedNotification } from "../../notifications/delivery/channel-driver.js";

/** A key for the recipient's address in its channel, which does not reveal the address. */
export function recipientKey({ tenant, channel, recipient }: QueuedNotification): string {
  const address = recipient.email === null ? (recipient.phone ?? "") : mailAddressKey(recipient.email);
  return hash("sha256", [tenant.tenantId, channel, address].join("\0"), "hex");
}
