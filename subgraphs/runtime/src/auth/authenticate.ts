import type { IncomingMessage } from "node:http";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";
import type { TokenVerifier } from "./token-verifier.js";

/** Verifies access tokens. */
export type Verifier = Pick<TokenVerifier, "verify">;

/** Takes the principal from a verified token, also when the request is then refused. */
type Identify = (principal: Principal) => void;

/** The characters in a bearer token (RFC 6750, section 2.1). */
const token = /^[\w.~+/-]+=*$/;
const scheme = "bearer";

/**
 * The principal who sends an HTTP request. Throws UNAUTHENTICATED, VALIDATION_FAILED, TENANT_MISMATCH, or what the
 * verifier throws.
 */
export async function authenticate(
  request: IncomingMessage,
  verifier: Verifier,
  identify?: Identify,
): Promise<Principal> {
  const { authorization } = request.headers;
  // Node keeps only the first Authorization header; only the raw list shows the others.
  if (authorization !== undefined && occurrences(request.rawHeaders, "authorization") > 1)
    throw ambiguous("Authorization");
  const headerTenant = request.headers["x-tenant-id"];
  if (Array.isArray(headerTenant)) throw ambiguous("X-Tenant-Id");
  return authenticateWith(verifier, authorization, headerTenant, identify);
}

/** As `authenticate`, but takes the values for `authorization` and `x-tenant-id`. */
export async function authenticateWith(
  verifier: Verifier,
  authorization: string | undefined,
  namedTenant: string | undefined,
  identify?: Identify,
): Promise<Principal> {
  const credentials = authorization === undefined ? "" : afterScheme(authorization);
  if (credentials === "")
    throw new DomainError("UNAUTHENTICATED", {
      detail: "A bearer token is required. Send it in the header Authorization.",
    });
  const principal = await verified(verifier, credentials);
  identify?.(principal);
  requireOwnTenant(namedTenant, principal);
  return principal;
}

/** A verified token has only allowed characters, so they are looked at only to explain a refusal. */
async function verified(verifier: Verifier, credentials: string): Promise<Principal> {
  try {
    return await verifier.verify(credentials);
  } catch (error) {
    if (token.test(credentials)) throw error;
    if (credentials.includes(",")) throw ambiguous("Authorization");
    throw new DomainError("TOKEN_INVALID", {
      detail: "The bearer token contains characters that are not allowed in a token (RFC 6750, section 2.1).",
    });
  }
}

/**
 * The credentials after the scheme, which ignores case (RFC 9110, section 11.1); empty for another scheme. Written
 * without a regular expression because every request runs it.
 */
function afterScheme(authorization: string): string {
  if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) return "";
  let start = scheme.length;
  while (authorization[start] === " ") start += 1;
  return start === scheme.length ? "" : authorization.slice(start);
}

/** A tenant named in the request must be the token's tenant (spine specification, Authentication 4). */
function requireOwnTenant(headerTenant: string | undefined, principal: Principal): void {
  if (headerTenant === undefined) return;
  if (headerTenant.includes(",")) throw ambiguous("X-Tenant-Id");
  if (headerTenant !== principal.tenantId)
    throw new DomainError("TENANT_MISMATCH", {
      detail:
        "The header X-Tenant-Id names a different tenant than the token. Send the tenant of the token, or leave the header out.",
    });
}

/** Refuses a header that came twice. Parsers disagree about which value counts, and an attacker could use that. */
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
