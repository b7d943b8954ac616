import { DomainError } from "@factory/runtime/errors/domain-error";
import { mailAddress } from "@factory/runtime/internet-names/mail-address";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { withCurrency } from "./payments/payment-data.js";

type Data = Readonly<Record<string, unknown>>;

/** The capability that a connection's provider needs for each command. */
export const capabilities: Readonly<Record<VendorCommandType, string>> = {
  SendEmail: "email.send",
  SendSms: "sms.send",
  SyncContact: "contacts.write",
  OpenTicket: "tickets.write",
  ChargePayment: "payments.charge",
  RefundPayment: "payments.refund",
  CreateCheckoutSession: "payments.checkout",
};

/**
 * Members in the design that this release does not carry out. They are refused, so that nobody loses them unknowingly.
 */
const notSupported: Readonly<Record<VendorCommandType, readonly string[]>> = {
  SendEmail: ["templateRef", "attachmentsRef"],
  SendSms: [],
  SyncContact: [],
  OpenTicket: [],
  ChargePayment: [],
  RefundPayment: [],
  CreateCheckoutSession: [],
};

const factsOfContact = ["email", "phone", "firstName", "lastName", "company"];

/** The checked data with what the connection adds to it. Throws VALIDATION_FAILED. */
export function completedData(
  type: VendorCommandType,
  data: Data,
  { configuration }: Pick<ConnectionRecord, "configuration">,
): Data {
  const unsupportedNames = notSupported[type].filter((name) => data[name] != null);
  if (unsupportedNames.length > 0)
    throw invalid(`This release does not support the members ${unsupportedNames.join(", ")} of ${type}.`);
  return completions[type](data, configuration);
}

const completions: Readonly<Record<VendorCommandType, (data: Data, configuration: Data) => Data>> = {
  SendEmail(data, configuration) {
    if (data["text"] == null && data["html"] == null)
      throw invalid("/text: A mail needs a text, an HTML page or both.");
    return withSender(data, configuration);
  },
  SendSms: withSender,
  SyncContact(data) {
    if (factsOfContact.every((name) => data[name] == null))
      throw invalid(`A contact needs at least one of ${factsOfContact.join(", ")}.`);
    return data;
  },
  OpenTicket: (data) => data,
  ChargePayment: withCurrency,
  RefundPayment: withCurrency,
  CreateCheckoutSession: withCurrency,
};

function withSender(data: Data, configuration: Data): Data {
  const from = data["from"] ?? configuration["from"];
  if (typeof from !== "string" || from === "")
    throw invalid("/from: This member is required, since the configuration of the connection has no value for it.");
  return { ...data, from: mailAddress(from) ?? from };
}

const invalid = (detail: string) => new DomainError("VALIDATION_FAILED", { detail });
