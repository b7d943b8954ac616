import type { ProviderDriver } from "../providers/provider-driver.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";
import { isForm, parsedBody, valueAt } from "./delivery-values.js";

const maxAccountLength = 255;
const inBody = /^(?:body|form):/;

/** Whether the driver says where the account stands in the body. A header is not signed, so that it proves no account. */
export const namesAccount = ({ webhook }: ProviderDriver): boolean => inBody.test(webhook?.account ?? "");

/** Whether a body may be read in two ways. The header that decides it is not signed. */
const isAmbiguous = ({ message }: ArrivedDelivery): boolean =>
  isForm(message.headers.get("content-type")?.[0]) && /^\s*[[{"]/.test(message.body.toString("latin1", 0, 64));

/** The account that the signed body names; undefined for none, and for events of several accounts. */
export function signedAccount(delivery: ArrivedDelivery, { webhook }: ProviderDriver): string | undefined {
  const path = webhook?.account;
  if (path === undefined || isAmbiguous(delivery)) return undefined;
  const body = parsed(delivery, webhook);
  const events: unknown[] = webhook?.batch && Array.isArray(body) ? body : [body];
  const accounts = new Set(events.map((event) => valueAt(path, { delivery, body: event })));
  const [account] = accounts;
  return accounts.size === 1 && account !== undefined && account.length <= maxAccountLength ? account : undefined;
}

/** Undefined for a body that cannot be read. */
function parsed(delivery: ArrivedDelivery, webhook: ProviderDriver["webhook"]): unknown {
  try {
    return parsedBody(delivery, webhook).body;
  } catch {
    return undefined;
  }
}
