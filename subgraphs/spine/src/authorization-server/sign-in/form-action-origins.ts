import type { Interaction } from "oidc-provider";

/** Where the browser goes when the form was taken; Content-Security-Policy has no way to write an IPv6 address. */
export function formActionOrigins({ params }: Interaction): string[] {
  const { origin, hostname, protocol } = new URL(String(params["redirect_uri"]));
  return [hostname.startsWith("[") ? protocol : origin];
}
