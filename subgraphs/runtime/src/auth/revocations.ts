import type { Principal } from "./principal.js";
import { maxLifetimeSeconds, type ReadClaims } from "./token-claims.js";

/** A message of the issuer to all verifiers that tokens are not valid any more. */
export interface Revocation {
  /**
   * The tokens concerned: one token, those of a sign-in, of a user, of a client (also through agents), or of a tenant.
   */
  readonly kind: "Token" | "Grant" | "Principal" | "Client" | "TenantClosed" | "TenantOpened";
  /** By kind: `jti`, grant ID, `usr_…` or `cli_…`, `cli_…`, `ten_…`. */
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

/** All clients of a token: the one to which it was issued, the service that is its subject, and the agents between. */
export function clientsOf({
  clientId,
  subject,
  actors = [],
}: Pick<Principal, "clientId" | "subject" | "actors">): string[] {
  return [clientId, subject, ...actors];
}

/**
 * A revocation is dated before its transaction commits, and a token issued in between does not know of it. So a
 * revocation covers tokens of this time after its date too, and an issuer that knows of the revocation waits that long.
 */
export const commitMarginMs = 250;

const kinds = ["Token", "Grant", "Principal", "Client"] as const;

/** Whether the revocation names this principal, without regard to the time of the token. */
export const concerns = ({ kind, subject }: Revocation, principal: Principal): boolean =>
  subjectsOf[kind](principal).includes(subject);

/** The revocations that a verifier knows. Each is kept for as long as a token that it concerns can live. */
export class Revocations {
  /** Epoch milliseconds by kind and subject, the oldest first. */
  readonly #revoked = new Map<string, number>();
  readonly #closedTenants = new Map<string, number>();
  /** The time of the last change of each tenant, so that an older message that arrives late is ignored. */
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
   * Whether the token was revoked. A revocation of a user or client covers tokens issued up to its time; a newer token is
   * valid. A revocation of a token or a sign-in has no end.
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

/** The margin applies to users and clients. Tokens of a service do not depend on roles. */
export const marginOf = (kind: Revocation["kind"], { subject }: Pick<Principal, "subject">): number =>
  kind === "Client" || (kind === "Principal" && subject.startsWith("usr_")) ? commitMarginMs : 0;

/** Removes entries that can concern no living token. Closed tenants stay, since they are few. */
function prune(entries: readonly Map<string, number>[], nowMs: number): void {
  const stillMatters = nowMs - (maxLifetimeSeconds + 60) * 1000;
  for (const known of entries)
    for (const [key, at] of known) {
      if (at >= stillMatters) break;
      known.delete(key);
    }
}
