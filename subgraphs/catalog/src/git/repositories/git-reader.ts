import type { IncomingMessage } from "node:http";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { GitReader, Identify } from "./git-http.js";
import { readGitToken } from "./git-request.js";

/** The token's tenant. A caller that may read or execute templates may clone what they have produced. */
export async function readGitReader(
  request: IncomingMessage,
  verifier: Verifier,
  identify: Identify,
): Promise<GitReader | undefined> {
  const token = readGitToken(request);
  if (token === undefined) return undefined;
  const principal = await verifier.verify(token);
  identify(principal);
  const { tenantId, tenantSlug, scopes } = principal;
  if (!scopes.has("templates.read") && !scopes.has("templates.execute"))
    throw new DomainError("INSUFFICIENT_SCOPE", { requiredScopes: ["templates.read", "templates.execute"] });
  return tenantId === undefined || tenantSlug === undefined ? undefined : { tenantId, tenantSlug };
}
