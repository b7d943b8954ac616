import { z } from "zod";
import type { Principal } from "./principal.js";

const version = z.int().nonnegative();

/**
 * The claim `versions`: under which versions the facts of a token were read, in one snapshot with them. A token of an
 * earlier release has none, and counts as read under the first versions.
 */
export const versionsClaim = z
  .object({
    /** The version of the subject's rights. */
    subject: version.default(0),
    /** The version of each client, by its id. */
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

/** A version that a token has of something that can be revoked. */
interface HeldVersion {
  readonly kind: "Token" | "Grant" | "Principal" | "Client";
  readonly subject: string;
  readonly version: number;
}

type ClientFacts = Pick<Principal, "subject" | "clientId" | "actors" | "clients">;

/**
 * All clients of a token: the one to which it was issued, the service that is its subject, the agents between, and the
 * clients of the tokens that were exchanged for it.
 */
export function clientsOf({ clientId, subject, actors = [], clients = [] }: ClientFacts): string[] {
  return [...new Set([clientId, subject, ...actors, ...clients])];
}

/** All versions of a token that a revocation can pass. A token and a sign-in end once, so they stay at the first version. */
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

/** The version of the client under which the facts of the token were read. */
export const clientVersion = ({ clients }: TokenVersions, clientId: string): number =>
  (Object.hasOwn(clients, clientId) ? clients[clientId] : undefined) ?? 0;
