import type { IncomingMessage } from "node:http";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";
import type { TokenVerifier } from "./token-verifier.js";

export type Verifier = Pick<TokenVerifier, "verify">;

/** RFC 6750 section 2.1. */
const token = /^[\w.~+/-]+=*$/;
const scheme = "bearer";

export async function authenticate(request: IncomingMessage, verifier: Verifier): Promise<Principal> {
  const principal = await verifier.verify(bearerToken(request));
  requireOwnTenant(request, principal);
  return principal;
}

function bearerToken(request: IncomingMessage): string {
  const { authorization } = request.headers;
  // node keeps the first of several Authorization headers, so only the raw list shows the others
  if (authorization !== undefined && occurrences(request.rawHeaders, "authorization") > 1)
    throw ambiguous("Authorization");
  const credentials = authorization === undefined ? "" : afterScheme(authorization);
  if (credentials === "") throw new DomainError("UNAUTHENTICATED", { detail: "A bearer token is required." });
  if (token.test(credentials)) return credentials;
  if (credentials.includes(",")) throw ambiguous("Authorization");
  throw new DomainError("TOKEN_INVALID", { detail: "The bearer token is malformed." });
}

/** Schemes ignore case (RFC 9110 section 11.1). Empty for another scheme; cut by hand, as every request pays for it. */
function afterScheme(authorization: string): string {
  if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) return "";
  let start = scheme.length;
  while (authorization[start] === " ") start += 1;
  return start === scheme.length ? "" : authorization.slice(start);
}

/** Spine specification, Authentication 4: an explicit tenant must be the claim. */
function requireOwnTenant(request: IncomingMessage, principal: Principal): void {
  const named = request.headers["x-tenant-id"];
  if (named === undefined) return;
  if (typeof named !== "string" || named.includes(",")) throw ambiguous("X-Tenant-Id");
  if (named !== principal.tenantId)
    throw new DomainError("TENANT_MISMATCH", { detail: "X-Tenant-Id names another tenant than the token." });
}

const ambiguous = (header: string) =>
  new DomainError("VALIDATION_FAILED", {
    detail: `The request must carry at most one ${header} header with one value.`,
  });

function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count++;
  }
  return count;
}
