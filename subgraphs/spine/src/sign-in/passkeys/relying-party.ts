import { isIP } from "node:net";

/** The platform as WebAuthn sees it: browsers offer its passkeys on this host name and its subdomains only. */
export interface RelyingParty {
  /** PUBLIC_URL's host name. */
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party for a platform with this address. Undefined where browsers refuse passkeys: on an IP address, and
 * without TLS on a host other than localhost.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return isAddress || (protocol !== "https:" && !isLocal) ? undefined : { id: hostname, origin };
}
