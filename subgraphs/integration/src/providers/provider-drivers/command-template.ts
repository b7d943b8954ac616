import type { CommandOf } from "@factory/schema/command-names";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";

/** A command that becomes a request to a vendor. */
export type VendorCommandType = CommandOf<"integration">;

/**
 * The vendor's request for one command. The body is JSON in which these objects stand for the command's values. A value
 * is put in as it is, never into a text, so it cannot change the request around it:
 *
 * - `{"$value": "/subject"}` is the value at the JSON pointer in the command's data, which has `commandId` too, and
 * `currencyInLowerCase` where it has a currency;
 * - `{"$each": "/to", "$as": …}` is a list with one item for each item of the list at the pointer;
 * - `{"$item": "/email"}` is the value at the pointer in the present item, and with `""` the item itself;
 * - `{"$when": "/html", "$then": …}` is there only if the command has the value.
 *
 * A member or item without a value is left out.
 */
export interface CommandTemplate {
  readonly method: "POST" | "PUT" | "PATCH";
  /** Below the base URL, with a leading slash. `{name}` is a value from the connection's configuration. */
  readonly path: string;
  /** `form`: members in objects are sent as `a[b]`, and items in lists as `a[0]`. */
  readonly encoding: "json" | "form";
  readonly body: Readonly<Record<string, unknown>>;
  /** Where the vendor's id stands in its answer: `body:…` or `header:…`. */
  readonly vendorId?: string;
  /** Where the address stands for the thing that the command has made, in the same form. */
  readonly url?: string;
  /** How the vendor is asked how a command ended that moves money, where it has not reported it. */
  readonly state?: StateRequest;
  /** The same request twice has the effect of one, for example because it names the thing by the sender's id. */
  readonly repeatable?: boolean;
}

/** A request that changes nothing, whose answer tells the outcome for a command that the vendor has accepted. */
export interface StateRequest {
  /** As a template's path. `{vendorId}` and `{commandId}` are the command's ids, each as one segment. */
  readonly path: string;
  /** Where the state stands in the answer: `body:…`. */
  readonly value: string;
  /** The outcome for each state that is final. With any other state nobody knows the outcome. */
  readonly outcomes: Readonly<Record<string, ReportedOutcome>>;
}

/**
 * Commands that move money. Their vendor must take an idempotency key, and they are answered when it has reported the
 * outcome.
 */
export const moneyCommands: readonly VendorCommandType[] = ["ChargePayment", "RefundPayment"];

/** Commands whose answer tells the id at the vendor. Without the id nobody knows what the vendor has done. */
export const commandsWithVendorId: readonly VendorCommandType[] = ["SyncContact", "OpenTicket"];

/** Commands whose answer tells an address at the vendor. */
export const commandsWithUrl: readonly VendorCommandType[] = ["OpenTicket", "CreateCheckoutSession"];

/** The request for each command that the vendor can carry out. */
export type CommandTemplates = Readonly<Partial<Record<VendorCommandType, CommandTemplate>>>;

/** A mail server, for vendors without an API for mail. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the beginning, by STARTTLS, or none, which only a development machine may use. */
  readonly security: "tls" | "starttls" | "none";
}

/** The server with its security, to find out whether two drivers send a secret to the same place. */
export const mailServerText = ({ host, port, security }: MailServer): string => `${security} ${host}:${port}`;
