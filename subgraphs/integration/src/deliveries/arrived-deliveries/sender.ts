import type { ArrivedDelivery } from "./arrived-delivery.js";
import { isResource } from "./body-size.js";

export type Sender = Pick<ArrivedDelivery, "hint" | "address">;

/**
 * The name under which work for a delivery counts before it is verified: its resource, else its address. Accounts and
 * provider keys can be invented.
 */
export const senderOf = ({ hint, address }: Sender): string =>
  isResource(hint) ? `${hint.kind} ${hint.value}` : `address ${address}`;
