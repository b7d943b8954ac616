import { z } from "zod";
import type { Principal } from "./principal.js";

const version = z.int().nonnegative();

/**
 * The claim `versions`: under which versions a token's facts were read, in one snapshot with them. A token from an
 * earlier release has none, and counts as read under the first versions.
 */
export const versionsClaim = z
  .object({
    /** The version of the subject's rights. */
    subject: version.default(0),
    /** Each client's version, by its id. */
    clients: z.record(z.string(), version).default({}),
    /** The version of the tenant's state. */
    tenant: version.default(0),
  })
  .default({ subject: 0, clients: {}, tenant: 0 });

export type TokenVersions = Readonly<z.infer<typeof versionsClaim>>;

/** A token as its revocations see it. */
export interface RevocableToken {
  readonly principal: Pick<Principal, "tokenId" | "grantId"> & ClientFacts;
  readonly versions: TokenVersions;
}

/** The version under which a token knows something that can be revoked. */
interface HeldVersion {
  readonly kind: "Token" | "Grant" | "Principal" | "Client";
  readonly subject: string;
  readonly version: number;
}

type ClientFacts = Pick<Principal, "subject" | "clientId" | "actors" | "clients">;

/**
 * All clients behind a token: the one to which it was issued, the service that is its subject, the agents between, and
 * the clients whose tokens were exchanged for it.
 */
export function clientsOf({ clientId, subject, actors = [], clients = [] }: ClientFacts): string[] {
  return [...new Set([clientId, subject, ...actors, ...clients])];
}

/**
 * All versions in a token that a revocation can pass. A token and a sign-in end once, so they stay at the first
 * version.
 */
export function heldVersions({ principal, versions }: RevocableToken): HeldVersion[] {
  const { tokenId, grantId, subject } = principal;
  return [
    { kind: "Token", subject: tokenId, version: 0 },
    ...(grantId === undefined ? [] : [{ kind: "Grant", subject: grantId, version: 0 } as const]),
    { kind: "Principal", subject, version: versions.subject },
    ...clientsOf(principal).map(
      (client): HeldVersion => ({ kind: "Client", subject: client, version: clientVersion(versions, client) }),
    ),
  ];
}

/** The client's version under which the token's facts were read. */
export const clientVersion = ({ clients }: TokenVersions, clientId: string): number =>
  (Object.hasOwn(clients, clientId) ? clients[clientId] : undefined) ?? 0;
