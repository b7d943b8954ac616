import { asciiHost } from "./host-name.js";

const parts = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#@]*@)?)([^/?#@:[\]]+)((?::\d*)?(?:[/?#].*)?)$/isu;

/**
 * The form in which the platform takes and stores a URL: its host in ASCII by UTS 46, and each other character outside of
 * ASCII as the percent-encoded bytes of UTF-8 (RFC 3987, section 3.1). Text that is ASCII already stays as it was written, but
 * for the case of the host. Undefined for a text that has no such form.
 */
export function asciiUrl(text: string): string | undefined {
  const [, scheme, login = "", host = "", rest = ""] = parts.exec(text) ?? [];
  if (!text.isWellFormed()) return undefined;
  if (scheme === undefined) return percentEncoded(text);
  const ascii = asciiHost(decoded(host) ?? host);
  if (ascii === undefined) return isAscii(host) ? percentEncoded(text) : undefined;
  return `${scheme}${percentEncoded(login)}${ascii}${percentEncoded(rest)}`;
}

/** Some parsers leave a host as percent-encoded bytes, and others decode it. */
function decoded(host: string): string | undefined {
  try {
    return decodeURIComponent(host);
  } catch {
    return undefined;
  }
}

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text);
const percentEncoded = (text: string) => text.replaceAll(/[^\p{ASCII}]+/gu, encodeURIComponent);
