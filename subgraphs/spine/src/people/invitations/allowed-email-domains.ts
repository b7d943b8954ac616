import { DomainError } from "@factory/runtime/errors/domain-error";
import { asciiDomain } from "@factory/runtime/internet-names/host-name";

/**
 * Throws EMAIL_DOMAIN_REFUSED when the tenant allows only other domains (`signIn.allowedEmailDomains`). A domain does not
 * include its subdomains. An empty list allows all.
 */
export function requireAllowedDomain(email: string, allowed: readonly string[], pointer?: string): void {
  if (allowed.length === 0) return;
  const domain = asciiDomain(email.slice(email.lastIndexOf("@") + 1));
  if (domain !== undefined && allowed.includes(domain)) return;
  const detail = `The tenant accepts only e-mail addresses of these domains: ${allowed.join(", ")}.`;
  throw new DomainError("EMAIL_DOMAIN_REFUSED", {
    detail,
    ...(pointer === undefined ? {} : { errors: [{ pointer, code: "UNKNOWN_VALUE", detail }] }),
  });
}
