import { principalTypes } from "@factory/schema/vocabularies/people";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { z } from "zod";
import { DomainError } from "../errors/domain-error.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { Principal } from "./principal.js";
import { type TokenVersions, versionsClaim } from "./token-versions.js";

/** An access token's longest lifetime. Revocations can be forgotten after this time. */
export const maxLifetimeSeconds = 3_600;

/** At most so many agents may delegate one task to each other. */
export const maxActorChain = 5;

const toleratedSkewSeconds = 5;

const name = z.string().min(1);

export interface Actor {
  sub: string;
  act?: Actor | undefined;
}

const actorShape = (levels: number): z.ZodType<Actor> =>
  z.object({ sub: name, act: levels > 1 ? actorShape(levels - 1).optional() : z.undefined().optional() });

/** Schema for the claim `act` (RFC 8693, section 4.1). */
export const actorClaim = actorShape(maxActorChain).optional();

// z.int() accepts safe integers only; 1e308 as an exp is a number too.
const claimsShape = z.object({
  sub: name,
  client_id: name,
  jti: name,
  aud: name,
  scope: z.string().default(""),
  iat: z.int().nonnegative(),
  nbf: z.int().nonnegative().optional(),
  exp: z.int().nonnegative(),
  tenantId: z
    .string()
    .refine((id) => decodeId("ten", id) !== undefined)
    .optional(),
  tenantSlug: name.optional(),
  editionCode: name.optional(),
  principalType: z.enum(valuesOf(principalTypes)),
  roles: z.array(name).default([]),
  platformAdmin: z.boolean().default(false),
  agentTaskId: name.optional(),
  grantId: name.optional(),
  versions: versionsClaim,
  approvalId: name.optional(),
  publishApproval: z.literal("NotRequired").optional(),
  withheldScopes: z.array(name).optional(),
  act: actorClaim,
  auth_time: z.int().nonnegative().optional(),
  acr: name.optional(),
  firstParty: z.boolean().optional(),
  passwordGrant: z.boolean().optional(),
});

export interface ReadClaims {
  principal: Principal;
  versions: TokenVersions;
}

/** Validates the claims in a token whose signature, issuer and audience are verified. */
export function readClaims(payload: unknown, nowSeconds: number): ReadClaims {
  const { success, data: claims, error } = claimsShape.safeParse(payload);
  if (!success) throw invalidToken(`claim ${String(error.issues[0]?.path[0])} is missing or malformed`);
  const { iat, nbf = iat, exp } = claims;
  if (exp <= iat || exp - iat > maxLifetimeSeconds) throw invalidToken("its lifetime is too long or negative");
  if (Math.max(iat, nbf) > nowSeconds + toleratedSkewSeconds) throw invalidToken("it is not valid yet");
  if (exp <= nowSeconds) throw expiredToken();
  const principal: Principal = {
    subject: claims.sub,
    clientId: claims.client_id,
    tenantId: claims.tenantId,
    tenantSlug: claims.tenantSlug,
    editionCode: claims.editionCode,
    scopes: new Set(claims.scope.split(" ").filter((scope) => scope !== "")),
    principalType: claims.principalType,
    platformAdmin: claims.platformAdmin,
    agentTaskId: claims.agentTaskId,
    grantId: claims.grantId,
    actors: actorsOf(claims.act),
    clients: Object.keys(claims.versions.clients),
    approvalId: claims.approvalId,
    publishApproval: claims.publishApproval,
    withheldScopes: claims.withheldScopes,
    ...signInOf(claims),
    roles: claims.roles,
    tokenId: claims.jti,
    expiresAt: exp,
  };
  return { principal, versions: claims.versions };
}

type SignInFact = "acr" | "authTime" | "firstParty" | "passwordGrant";

/** The claims about a sign-in, for a person's own token only: an agent that acts for a person did not sign in. */
function signInOf(claims: z.infer<typeof claimsShape>): Pick<Principal, SignInFact> {
  if (claims.principalType !== "User" || claims.act !== undefined) return {};
  const { auth_time: authTime, acr, firstParty, passwordGrant } = claims;
  return { authTime, acr, firstParty, passwordGrant };
}

/** The agents, beginning with the current one. */
export function actorsOf(actor: Actor | undefined): string[] {
  return actor === undefined ? [] : [actor.sub, ...actorsOf(actor.act)];
}

export function invalidToken(reason: string): DomainError {
  return new DomainError("TOKEN_INVALID", { detail: `The access token is not valid: ${reason}.` });
}

export function expiredToken(): DomainError {
  return new DomainError("TOKEN_EXPIRED", { detail: "The access token has expired." });
}
