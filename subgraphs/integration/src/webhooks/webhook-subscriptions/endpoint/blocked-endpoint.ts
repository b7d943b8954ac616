import type { Egress } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";

interface EndpointRules {
  readonly egress: Egress;
  readonly httpsOnly: boolean;
  /** The platform's address, to which no webhook is sent. */
  readonly publicUrl: string;
}

/** Throws TARGET_BLOCKED for an endpoint that must not be called. */
export async function refuseBlocked(
  { egress, httpsOnly, publicUrl }: EndpointRules,
  endpointUrl: string,
): Promise<void> {
  const reason = isOwnEndpoint(endpointUrl, publicUrl)
    ? "the address of the platform itself"
    : await egress.check(endpointUrl, { httpsOnly });
  if (reason !== undefined)
    throw new DomainError("TARGET_BLOCKED", {
      detail: `The endpoint URL is not allowed: ${reason}.`,
      errors: [{ pointer: "/input/endpointUrl", code: "TARGET_BLOCKED", detail: reason }],
    });
}

/** Whether the URL leads to this platform. `publicUrl` is its address. */
function isOwnEndpoint(endpointUrl: string, publicUrl: string): boolean {
  return URL.canParse(endpointUrl) && originOf(endpointUrl) === originOf(publicUrl);
}

/** A host name with a dot at its end is the same host. */
function originOf(text: string): string {
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, "");
  return url.origin;
}
