import { DomainError } from "@factory/runtime/errors/domain-error";
import { asciiDomain } from "@factory/runtime/internet-names/host-name";

/**
 * Throws EMAIL_DOMAIN_REFUSED when the tenant allows only other domains (`signIn.allowedEmailDomains`). A domain does not
 * include its subdomains. An empty list allows all.
 */
export function requireAllowedDomain(email: string, allowedDomains: readonly string[], pointer?: string): void {
  if (allowedDomains.length === 0) return;
  const domain = asciiDomain(email.slice(email.lastIndexOf("@") + 1));
  if (domain !== undefined && allowedDomains.includes(domain)) return;
  const detail = `The tenant accepts only e-mail addresses of these domains: ${allowedDomains.join(", ")}.`;
  throw new DomainError("EMAIL_DOMAIN_REFUSED", {
    detail,
    ...(pointer === undefined ? {} : { errors: [{ pointer, code: "UNKNOWN_VALUE", detail }] }),
  });
}
