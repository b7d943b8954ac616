import { asciiDomain } from "./host-name.js";

/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const maxBytes = 254;
/** `atext` from RFC 5322 with the characters from RFC 6531, but none that nobody sees. */
const atom = "(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\\p{ASCII}\\p{C}\\p{Z}])+";
const localForm = new RegExp(`^${atom}(?:\\.${atom})*$`, "u");

/**
 * The form in which the platform takes and stores an address: the local part in NFC, in its own case, and the domain in
 * ASCII. Undefined for a text that is none. A few characters become ASCII in NFC, so the form is checked after it.
 */
export function mailAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0)).normalize("NFC");
  const domain = localForm.test(local) ? asciiDomain(text.slice(at + 1)) : undefined;
  const address = `${local}@${domain}`;
  return domain !== undefined && Buffer.byteLength(address) <= maxBytes ? address : undefined;
}

/**
 * The form in which addresses are compared. Mail providers ignore case, although RFC 5321 section 2.4 does not. Any text
 * has one, since people may enter any text where they sign in.
 */
export function mailAddressKey(text: string): string {
  const at = text.lastIndexOf("@");
  const domain = at === -1 ? undefined : asciiDomain(text.slice(at + 1));
  return domain === undefined ? foldedCase(text) : `${foldedCase(text.slice(0, at))}@${domain}`;
}

/** Lower case can split a letter in two, which NFC joins again. Its final sigma is the same letter. */
const foldedCase = (text: string) => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC");

/** Whether a mail server needs SMTPUTF8 (RFC 6531) for the address. */
export const needsSmtpUtf8 = (address: string): boolean => !/^\p{ASCII}*$/u.test(address);
