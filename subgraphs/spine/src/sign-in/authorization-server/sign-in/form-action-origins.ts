import type { Interaction } from "oidc-provider";

/**
 * Origins for the CSP directive `form-action`: where the browser goes after the form. A CSP cannot name an IPv6 address, so
 * its scheme stands for it.
 */
export function formActionOrigins({ params }: Interaction): string[] {
  const { origin, hostname, protocol } = new URL(String(params["redirect_uri"]));
  return [hostname.startsWith("[") ? protocol : origin];
}
