import type { Principal } from "./principal.js";
import { maxLifetimeSeconds, type ReadClaims } from "./token-claims.js";
import { clientsOf, heldVersions, type TokenVersions } from "./token-versions.js";

/** The issuer's message to all verifiers that tokens are not valid any more. */
export interface Revocation {
  /**
   * The tokens concerned: a single one, or all tokens for a sign-in, a user, a client (also through agents) or a
   * tenant.
   */
  readonly kind: "Token" | "Grant" | "Principal" | "Client" | "TenantClosed" | "TenantOpened";
  /** By kind: `jti`, grant ID, `usr_…` or `cli_…`, `cli_…`, `ten_…`. */
  readonly subject: string;
  /** The version that the subject has reached. Tokens whose facts were read under an earlier one are revoked. */
  readonly version: number;
}

const subjectsOf: Record<Revocation["kind"], (principal: Principal) => readonly (string | undefined)[]> = {
  Token: ({ tokenId }) => [tokenId],
  Grant: ({ grantId }) => [grantId],
  Principal: ({ subject }) => [subject],
  Client: clientsOf,
  TenantClosed: ({ tenantId }) => [tenantId],
  TenantOpened: ({ tenantId }) => [tenantId],
};

/** Whether the revocation names this principal, without regard to the token's versions. */
export const concerns = ({ kind, subject }: Revocation, principal: Principal): boolean =>
  subjectsOf[kind](principal).includes(subject);

interface Known {
  readonly version: number;
  /** When the verifier was told, by its own clock. */
  readonly toldAtMs: number;
}

/** The revocations that a verifier knows. Each is kept for as long as a token that it concerns can live. */
export class Revocations {
  /** The lowest version that is still good, by kind and subject, in the order in which the verifier was told. */
  readonly #goodFrom = new Map<string, Known>();
  /** The version in which each closed tenant was closed. */
  readonly #closedTenants = new Map<string, number>();
  /** Each tenant's newest version, as messages told it. A late message with an older one is ignored. */
  readonly #tenantsChanged = new Map<string, Known>();

  add({ kind, subject, version }: Revocation, nowMs: number): void {
    prune([this.#goodFrom, this.#tenantsChanged], nowMs);
    if (kind !== "TenantClosed" && kind !== "TenantOpened")
      return keep(this.#goodFrom, `${kind} ${subject}`, version, nowMs);
    if ((this.#tenantsChanged.get(subject)?.version ?? 0) > version) return;
    keep(this.#tenantsChanged, subject, version, nowMs);
    if (kind === "TenantClosed") this.#closedTenants.set(subject, version);
    else this.#closedTenants.delete(subject);
  }

  /**
   * Whether the token was revoked: some of its facts were read before the change that the newest revocation reports.
   */
  covers(token: ReadClaims): boolean {
    return heldVersions(token).some(
      ({ kind, subject, version }) => version < (this.#goodFrom.get(`${kind} ${subject}`)?.version ?? 0),
    );
  }

  /**
   * Whether the token's tenant is closed. A token that was issued after a later opening knows more than the verifier.
   */
  isClosed({ principal: { tenantId }, versions }: { principal: Pick<Principal, "tenantId">; versions: TokenVersions }) {
    const closedIn = tenantId === undefined ? undefined : this.#closedTenants.get(tenantId);
    return closedIn !== undefined && versions.tenant <= closedIn;
  }
}

/** A message that arrives late does not lower the version. */
function keep(entries: Map<string, Known>, key: string, version: number, toldAtMs: number): void {
  const knownVersion = entries.get(key)?.version ?? 0;
  entries.delete(key);
  entries.set(key, { version: Math.max(version, knownVersion), toldAtMs });
}

/**
 * Removes entries that can concern no living token. The platform issues tokens for a quarter of the longest lifetime,
 * so an issuer's clock may be ahead by the rest. Closed tenants stay, since they are few.
 */
function prune(entries: readonly Map<string, Known>[], nowMs: number): void {
  const stillMatters = nowMs - (maxLifetimeSeconds + 60) * 1000;
  for (const subjects of entries)
    for (const [key, { toldAtMs }] of subjects) {
      if (toldAtMs >= stillMatters) break;
      subjects.delete(key);
    }
}
