import type { EgressResponse } from "@factory/runtime/egress/egress";

/** The answer of a receiver to a handshake. */
export type HandshakeAnswer =
  | {
      readonly allowed: true;
      /** The number of webhooks a minute that the receiver allows; null for any number. */
      readonly perMinute: number | null;
    }
  | { readonly allowed: false; readonly detail: string };

const maxPerMinute = 1_000_000;

/** Reads the answer to the OPTIONS request of the CloudEvents specification for webhooks, section 4.2. */
export function handshakeAnswer({ status, headers }: EgressResponse, origin: string): HandshakeAnswer {
  if (status < 200 || status > 299) return refused(`The receiver answered OPTIONS with the status ${status}.`);
  const allowedOrigin = single(headers["webhook-allowed-origin"]);
  if (allowedOrigin === undefined) return refused("The answer to OPTIONS has no header WebHook-Allowed-Origin.");
  const origins = allowedOrigin.split(",").map((name) => name.trim().toLowerCase());
  if (!origins.some((name) => name === "*" || name === origin.toLowerCase()))
    return refused(`The header WebHook-Allowed-Origin allows neither "${origin}" nor "*".`);
  const rate = single(headers["webhook-allowed-rate"])?.trim() ?? "*";
  if (rate === "*") return { allowed: true, perMinute: null };
  if (!/^[1-9]\d{0,8}$/.test(rate))
    return refused('The header WebHook-Allowed-Rate must be a number of webhooks a minute from 1, or "*".');
  return { allowed: true, perMinute: Math.min(Number(rate), maxPerMinute) };
}

const refused = (detail: string): HandshakeAnswer => ({ allowed: false, detail });

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
