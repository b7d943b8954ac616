import type { Principal } from "./principal.js";
import { longestLifetimeSeconds, type ReadClaims } from "./token-claims.js";

/** What the issuer tells its verifiers about tokens that are signed and out. */
export interface Revocation {
  /** Whose tokens: one, those of a sign-in, of a user, those issued to a client or that agents got through it, or a whole tenant's. */
  readonly kind: "Token" | "Grant" | "Principal" | "Client" | "TenantClosed" | "TenantOpened";
  /** `jti`, grant id, `usr_…` or `cli_…`, `cli_…`, `ten_…`. */
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const subjectsOf: Record<Revocation["kind"], (principal: Principal) => readonly (string | undefined)[]> = {
  Token: ({ tokenId }) => [tokenId],
  Grant: ({ grantId }) => [grantId],
  Principal: ({ subject }) => [subject],
  Client: clientsOf,
  TenantClosed: ({ tenantId }) => [tenantId],
  TenantOpened: ({ tenantId }) => [tenantId],
};

/** Every client that a token rests on: the one it was issued to, the service it speaks for, and the agents between. */
export function clientsOf({
  clientId,
  subject,
  actors = [],
}: Pick<Principal, "clientId" | "subject" | "actors">): string[] {
  return [clientId, subject, ...actors];
}

/**
 * A revocation is written before its transaction commits: what was issued in between did not know of it. So it
 * covers this much more, and an issuer that knows of one waits until it is over.
 */
export const commitMarginMs = 250;

const kinds = ["Token", "Grant", "Principal", "Client"] as const;

/** It speaks of this principal, whenever its token was issued. */
export const concerns = ({ kind, subject }: Revocation, principal: Principal): boolean =>
  subjectsOf[kind](principal).includes(subject);

/** Tokens that verify but are refused. Each entry is kept for as long as a token it speaks of can live. */
export class Revocations {
  /** By kind and subject: epoch milliseconds, oldest first. */
  readonly #revoked = new Map<string, number>();
  readonly #closedTenants = new Map<string, number>();
  /** Of tenants, open and closed: a message that comes late changes nothing. */
  readonly #tenantsChanged = new Map<string, number>();

  add({ kind, subject, at }: Revocation, nowMs: number): void {
    prune([this.#revoked, this.#tenantsChanged], nowMs);
    if (kind !== "TenantClosed" && kind !== "TenantOpened") {
      const key = `${kind} ${subject}`;
      const known = this.#revoked.get(key) ?? 0;
      this.#revoked.delete(key);
      this.#revoked.set(key, Math.max(at, known));
      return;
    }
    if ((this.#tenantsChanged.get(subject) ?? 0) > at) return;
    this.#tenantsChanged.set(subject, at);
    if (kind === "TenantClosed") this.#closedTenants.set(subject, at);
    else this.#closedTenants.delete(subject);
  }

  /**
   * A revocation covers what was issued up to it: whoever is let in again gets a newer token. A token and a sign-in never
   * come back; what was being issued from the sign-in meanwhile is covered too.
   */
  covers({ principal, issuedAtMs }: ReadClaims): boolean {
    return kinds.some((kind) =>
      subjectsOf[kind](principal).some((subject) => {
        const at = subject === undefined ? undefined : this.#revoked.get(`${kind} ${subject}`);
        if (at === undefined) return false;
        return issuedAtMs <= at + marginOf(kind, principal) || kind === "Token" || kind === "Grant";
      }),
    );
  }

  isClosed(tenantId: string | undefined): boolean {
    return tenantId !== undefined && this.#closedTenants.has(tenantId);
  }
}

/** Roles are a user's: tokens of a service do not hang on them. */
export const marginOf = (kind: Revocation["kind"], { subject }: Pick<Principal, "subject">): number =>
  kind === "Client" || (kind === "Principal" && subject.startsWith("usr_")) ? commitMarginMs : 0;

/** Closed tenants stay: they are few, and their clients get no token that could outlive the memory of it. */
function prune(entries: readonly Map<string, number>[], nowMs: number): void {
  const stillMatters = nowMs - (longestLifetimeSeconds + 60) * 1000;
  for (const known of entries)
    for (const [key, at] of known) {
      if (at >= stillMatters) break;
      known.delete(key);
    }
}
