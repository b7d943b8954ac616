import { isIP } from "node:net";
import { domainToASCII } from "node:url";

const maxLength = 253;
/** Punycode takes quadratic time. A longer name is too long in ASCII, too, even where NFC joins its characters. */
const maxReadLength = 1000;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostForm = new RegExp(`^${label}(?:\\.${label})*$`);
const nameCharacters = /^(?:[^\p{ASCII}\p{C}\p{Z}]|[A-Za-z0-9.-])+$/u;
const asciiCharacters = /^[A-Za-z0-9.-]+$/;

/**
 * The form in which the platform stores and compares a host name: ASCII in lower case, by UTS 46. Undefined for a text
 * that is none. A name that is ASCII already is not read as punycode, so that every name from former releases stays
 * one.
 */
export function asciiHost(text: string): string | undefined {
  if (text.length > maxReadLength) return undefined;
  const ascii = asciiCharacters.test(text) ? text.toLowerCase() : nameCharacters.test(text) ? mapped(text) : undefined;
  return ascii !== undefined && ascii.length <= maxLength && hostForm.test(ascii) ? ascii : undefined;
}

/** A mail domain has at least two labels. */
export function asciiDomain(text: string): string | undefined {
  const host = asciiHost(text);
  return host?.includes(".") ? host : undefined;
}

/** The URL parser reads a number as an IPv4 address, in any script's digits. */
function mapped(text: string): string | undefined {
  const ascii = domainToASCII(text);
  return isIP(ascii) === 0 ? ascii : undefined;
}

/** `host` or `host:port` in ASCII; another text, such as an IP address in brackets, in lower case. */
export function asciiAuthority(text: string): string {
  const [, host = "", port = ""] = /^([^:[\]]*)(:\d{1,5})?$/.exec(text) ?? [];
  const ascii = asciiHost(host);
  return ascii === undefined ? text.toLowerCase() : `${ascii}${port}`;
}
