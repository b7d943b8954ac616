import type { IncomingMessage } from "node:http";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";
import type { TokenVerifier } from "./token-verifier.js";

export type Verifier = Pick<TokenVerifier, "verify">;

/** RFC 6750 section 2.1. */
const token = /^[\w.~+/-]+=*$/;
const scheme = "bearer";

export async function authenticate(request: IncomingMessage, verifier: Verifier): Promise<Principal> {
  const { authorization } = request.headers;
  // node keeps the first of several Authorization headers, so only the raw list shows the others
  if (authorization !== undefined && occurrences(request.rawHeaders, "authorization") > 1)
    throw ambiguous("Authorization");
  const named = request.headers["x-tenant-id"];
  if (Array.isArray(named)) throw ambiguous("X-Tenant-Id");
  return authenticateWith(verifier, authorization, named);
}

/** By the values of `authorization` and `x-tenant-id`, whatever carried them. */
export async function authenticateWith(
  verifier: Verifier,
  authorization: string | undefined,
  namedTenant: string | undefined,
): Promise<Principal> {
  const principal = await verifier.verify(bearerToken(authorization));
  requireOwnTenant(namedTenant, principal);
  return principal;
}

function bearerToken(authorization: string | undefined): string {
  const credentials = authorization === undefined ? "" : afterScheme(authorization);
  if (credentials === "")
    throw new DomainError("UNAUTHENTICATED", {
      detail: "A bearer token is required. Send it in the header Authorization.",
    });
  if (token.test(credentials)) return credentials;
  if (credentials.includes(",")) throw ambiguous("Authorization");
  throw new DomainError("TOKEN_INVALID", {
    detail: "The bearer token contains characters that are not allowed in a token (RFC 6750, section 2.1).",
  });
}

/** Schemes ignore case (RFC 9110 section 11.1). Empty for another scheme; cut by hand, as every request pays for it. */
function afterScheme(authorization: string): string {
  if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) return "";
  let start = scheme.length;
  while (authorization[start] === " ") start += 1;
  return start === scheme.length ? "" : authorization.slice(start);
}

/** Spine specification, Authentication 4: an explicit tenant must be the claim. */
function requireOwnTenant(named: string | undefined, principal: Principal): void {
  if (named === undefined) return;
  if (named.includes(",")) throw ambiguous("X-Tenant-Id");
  if (named !== principal.tenantId)
    throw new DomainError("TENANT_MISMATCH", {
      detail:
        "The header X-Tenant-Id names a different tenant than the token. Send the tenant of the token, or leave the header out.",
    });
}

/** Which of two values counts is a question that an attacker would answer otherwise than we do. */
export const ambiguous = (header: string) =>
  new DomainError("VALIDATION_FAILED", {
    detail: `The request must have at most one ${header} header with one value.`,
  });

function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count++;
  }
  return count;
}
