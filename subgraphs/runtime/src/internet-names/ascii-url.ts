import { asciiHost } from "./host-name.js";

const parts = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#@]*@)?)([^/?#@:[\]]+)((?::\d*)?(?:[/?#].*)?)$/isu;

/**
 * Gives a URL the form in which it is stored. The host becomes ASCII by UTS 46. Other characters outside ASCII are
 * percent-encoded (RFC 3987, section 3.1). A URL that is ASCII already stays as it is, except that its host gets lower
 * case. Undefined if the URL has no such form.
 */
export function asciiUrl(text: string): string | undefined {
  const [, scheme, login = "", host = "", rest = ""] = parts.exec(text) ?? [];
  if (!text.isWellFormed()) return undefined;
  if (scheme === undefined) return percentEncoded(text);
  const decodedHost = decoded(host) ?? host;
  const ascii = asciiHost(decodedHost);
  if (ascii === undefined) return isAscii(decodedHost) ? percentEncoded(text) : undefined;
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
