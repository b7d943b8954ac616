import { isIP } from "node:net";
import { type AddressPolicy, blockedAddress } from "./blocked-address.js";

export interface UrlPolicy extends AddressPolicy {
  /** Absent: every port is allowed. */
  allowedPorts?: readonly number[];
}

const maxUrlLength = 2_048;

/**
 * The reason why a URL is refused without a DNS lookup, or undefined. The WHATWG parser has already normalized unusual
 * spellings.
 */
export function blockedUrl(text: string, policy: UrlPolicy, httpsOnly = false): string | undefined {
  if (text.length > maxUrlLength) return `longer than ${maxUrlLength} characters`;
  if (!URL.canParse(text)) return "not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && (httpsOnly || url.protocol !== "http:")) {
    return httpsOnly ? "not an https URL" : "not an http or https URL";
  }
  if (url.username !== "" || url.password !== "") return "credentials in the URL";
  const port = portOf(url);
  if (policy.allowedPorts !== undefined && !policy.allowedPorts.includes(port)) return `port ${port} is not allowed`;
  return blockedHost(hostOf(url), policy);
}

/** The reason why a host is refused without a DNS lookup. */
export function blockedHost(host: string, policy: AddressPolicy): string | undefined {
  if (isIP(host) !== 0) return blockedAddress(host, policy);
  // RFC 6761, section 6.3: these names are local, even if DNS has an address for them.
  return !policy.allowLoopback && /(^|\.)localhost\.?$/.test(host) ? "a loopback address" : undefined;
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** The host name for DNS and sockets, without an IPv6 address's brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}
