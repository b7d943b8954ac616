import type { Revocation } from "@factory/runtime/auth/revocations";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { Listener } from "@factory/runtime/connections/listener";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeJwt } from "jose";
import pg from "pg";
import { type RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { RevocationFeed } from "./revocation-feed.js";
import type { IssuedFacts } from "./version-stage.fixture.js";

/** A verifier in another process, with its own clock and a feed whose messages reach it late. */
export class SlowVerifier {
  readonly #platform: RunningSpine;
  readonly #clock: () => number;
  readonly #listener: Listener;
  readonly #pool: pg.Pool;
  #verifier: TokenVerifier;
  #feed: RevocationFeed;
  /** Read from the database, and not told yet. */
  #waiting: Revocation[] = [];
  /** The highest version that the verifier was told, by kind and subject. */
  #told = new Map<string, number>();
  /** Undefined: the tenant was never closed. */
  #tenant: Revocation | undefined;

  private constructor(platform: RunningSpine, clock: () => number) {
    this.#platform = platform;
    this.#clock = clock;
    const { worker } = platform.connections;
    this.#listener = new Listener(worker, platform.host.logger);
    this.#pool = new pg.Pool({ connectionString: worker, max: 1 });
    this.#verifier = this.#newVerifier();
    this.#feed = new RevocationFeed(this.#pool, this.#listener, platform.host.logger);
  }

  /** Without `hears` no notification reaches its feed. */
  static async start(platform: RunningSpine, clock: () => number, hears = true): Promise<SlowVerifier> {
    const verifier = new SlowVerifier(platform, clock);
    if (hears) await verifier.#listener.start();
    await verifier.#feed.start((revocation) => void verifier.#waiting.push(revocation));
    verifier.deliver(Number.POSITIVE_INFINITY);
    return verifier;
  }

  /** Begins anew, as after the process has ended: it reads everything that still matters before it verifies. */
  async restart(): Promise<void> {
    await this.#feed.stop();
    this.#verifier = this.#newVerifier();
    this.#waiting = [];
    this.#told = new Map();
    this.#tenant = undefined;
    const waiting = this.#waiting;
    this.#feed = new RevocationFeed(this.#pool, this.#listener, this.#platform.host.logger);
    await this.#feed.start((revocation) => void waiting.push(revocation));
    this.deliver(Number.POSITIVE_INFINITY);
  }

  /** Hands the next revocations from the feed to the verifier. */
  deliver(count: number): void {
    for (const revocation of this.#waiting.splice(0, count)) {
      const { kind, subject, version } = revocation;
      this.#verifier.apply(revocation);
      const key = `${kind} ${subject}`;
      this.#told.set(key, Math.max(version, this.#told.get(key) ?? 0));
      if (kind.startsWith("Tenant") && version > (this.#tenant?.version ?? 0)) this.#tenant = revocation;
    }
  }

  /** Waits until the feed has read this revocation, and tells the verifier everything. */
  async settle(kind: Revocation["kind"], subject: string, version: number): Promise<void> {
    await until(async () => {
      this.deliver(Number.POSITIVE_INFINITY);
      return (this.#told.get(`${kind} ${subject}`) ?? 0) >= version;
    });
  }

  /** The verifier's right answer, by the facts that the token shows and by what it was told. */
  expected({ held, grantId, tenantVersion }: IssuedFacts): string {
    const isOlder = ({ kind, subject, version }: IssuedFacts["held"][number]) =>
      version < (this.#told.get(`${kind} ${subject}`) ?? 0);
    if (held.some(isOlder) || this.#told.has(`Grant ${grantId}`)) return "TOKEN_INVALID";
    const isClosed = this.#tenant?.kind === "TenantClosed" && tenantVersion <= this.#tenant.version;
    return isClosed ? "TENANT_SUSPENDED" : "accepted";
  }

  /** Undefined if only the clocks decide: a token from the future, or one that has expired. */
  async verdict(token: string): Promise<string | undefined> {
    const { iat = 0, exp = 0 } = decodeJwt(token);
    const now = this.#clock() / 1000;
    try {
      await this.#verifier.verify(token);
      return "accepted";
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return iat > now || exp <= now ? undefined : error.code;
    }
  }

  async stop(): Promise<void> {
    await this.#feed.stop();
    await this.#listener.close();
    await this.#pool.end();
  }

  #newVerifier(): TokenVerifier {
    const { issuer } = testSettings;
    const { authorizationServer } = this.#platform.spine;
    const keys = () => authorizationServer.jwks();
    return new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true, clock: this.#clock });
  }
}
