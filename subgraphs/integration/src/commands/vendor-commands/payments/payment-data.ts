import { DomainError } from "@factory/runtime/errors/domain-error";
import type { VendorCommandType } from "../../../providers/provider-drivers/command-template.js";
import { currencies } from "./currencies.js";

type Data = Readonly<Record<string, unknown>>;

/** The data of a command with an amount, whose currency must exist. Throws VALIDATION_FAILED. */
export function withCurrency(data: Data): Data {
  const { amountMinor, currency } = data;
  if (currency == null && amountMinor == null) return data;
  if (typeof currency !== "string")
    throw new DomainError("VALIDATION_FAILED", { detail: "/currency: An amount needs its currency." });
  if (!currencies.has(currency))
    throw new DomainError("VALIDATION_FAILED", {
      detail: "/currency: Must be a currency of ISO 4217, for example CHF.",
    });
  return { ...data, currencyInLowerCase: currency.toLowerCase() };
}

/** The members that the answer of a command repeats. They name no person. */
const repeated: Readonly<Partial<Record<VendorCommandType, readonly string[]>>> = {
  ChargePayment: ["amountMinor", "currency", "planSubscriptionId"],
  RefundPayment: ["paymentRef", "amountMinor", "currency"],
  CreateCheckoutSession: ["amountMinor", "currency"],
};

/** The members of a command that its answer repeats, with null for those that it has not. */
export const repeatedFacts = (type: VendorCommandType, data: Data): Data =>
  Object.fromEntries((repeated[type] ?? []).map((name) => [name, data[name] ?? null]));
