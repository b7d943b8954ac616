import { DomainError } from "@factory/runtime/errors/domain-error";
import type { VendorCommandType } from "../../../providers/provider-drivers/command-template.js";

/** The ISO 4217 currencies in which a person can pay. The codes for funds, metals and tests are left out. */
const currencies: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
   COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR
   IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR
   MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD
   SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG
   XOF XPF YER ZAR ZMW ZWG`.split(/\s+/),
);

type Data = Readonly<Record<string, unknown>>;

/** The data for a command with an amount, whose currency must exist. Throws VALIDATION_FAILED. */
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

/** The members that a command's answer repeats. They name no person. */
const repeatedMembers: Readonly<Partial<Record<VendorCommandType, readonly string[]>>> = {
  ChargePayment: ["amountMinor", "currency", "planSubscriptionId"],
  RefundPayment: ["paymentRef", "amountMinor", "currency"],
  CreateCheckoutSession: ["amountMinor", "currency"],
};

/** The command's members that its answer repeats, with null for those that it has not. */
export const repeatedFacts = (type: VendorCommandType, data: Data): Data =>
  Object.fromEntries((repeatedMembers[type] ?? []).map((name) => [name, data[name] ?? null]));
