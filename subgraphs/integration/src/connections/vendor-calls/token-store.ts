import { setTimeout as pause } from "node:timers/promises";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import { UnknownSealingKey } from "@factory/runtime/sealing/value-seal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { VendorConnection } from "./exchange/vendor-call.js";
import { leaseTokens } from "./lease-statement.js";
import type { TokenClient } from "./oauth2-client.js";
import { tokenBinding } from "./sealed-tokens.js";
import type { VendorTokens } from "./token-answer.js";
import {
  forgetTokens,
  forgetTokensOfCredential,
  releaseLease,
  storeFailure,
  storeLeased,
  storeTokens,
  type TokenRow,
  tokensOfConnection,
} from "./token-statements.js";

/** A connection's stored tokens, in plain text. They must not be logged. */
export interface StoredTokens {
  /** Grows with each stored set. 0: no tokens are stored. */
  readonly version: number;
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly failedAt: Date | null;
  readonly failureCode: string | null;
  /** The client that got the tokens. */
  readonly client: TokenClient | null;
  readonly failedClient: TokenClient | null;
  /** The newest lease's fencing number. */
  readonly leases: number;
  readonly isLeased: boolean;
}

interface SealedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

/** A connection, and the message that caused the work on its tokens. */
interface TokenOwner {
  readonly tenant: Tenant;
  readonly cause: Cause;
  readonly connection: Pick<VendorConnection, "connectionId" | "providerId" | "projectId">;
}

/** Longer than a database restart. A lease that ends meanwhile can be taken over, which ends the tries. */
const storePatienceMs = 5 * 60_000;
const storePauseMs = 250;

const tokenRow = tenantStatement("connection_token", tokensOfConnection("scope.tenant", "$2"));

/** The connections' tokens, each sealed with its own data key. */
export class TokenStore {
  readonly #database: Database;
  readonly #envelopes: EnvelopeSeal;
  readonly #clock: () => Date;

  constructor(database: Database, envelopes: EnvelopeSeal, clock: () => Date) {
    this.#database = database;
    this.#envelopes = envelopes;
    this.#clock = clock;
  }

  async read({ tenant, connection }: TokenOwner): Promise<StoredTokens | undefined> {
    const uuid = decodeId("con", connection.connectionId);
    const row = await this.#database.reader.row<TokenRow>(tokenRow, tenant, uuid);
    return row && this.#opened(tenant, connection.connectionId, row);
  }

  /** Stores the tokens from a new authorization. A refresh that is under way stores nothing any more. */
  async store({ tenant, execute }: Transaction, connectionId: string, tokens: VendorTokens): Promise<void> {
    const values = this.#values(tenant, connectionId, tokens);
    await execute(storeTokens, storeTokens.valuesOf(values));
  }

  /** Destroys a deleted connection's tokens. */
  async forget({ tenant, execute }: Transaction, connectionId: string): Promise<void> {
    await execute(forgetTokens, [tenant.uuid, decodeId("con", connectionId)]);
  }

  /** Destroys the tokens that were got with a credential that is revoked. */
  async forgetOf({ tenant, execute }: Transaction, credentialId: string): Promise<void> {
    await execute(forgetTokensOfCredential, [tenant.uuid, credentialId]);
  }

  /**
   * Makes this process the only one that refreshes the tokens for 60 s; undefined when another one does,
   * or the connection is deleted.
   */
  async lease({ tenant, cause, connection }: TokenOwner): Promise<StoredTokens | undefined> {
    const uuid = decodeId("con", connection.connectionId);
    const [row] = await this.#database.transaction(tenant, cause, ({ execute }) =>
      execute<TokenRow>(leaseTokens, [tenant.uuid, uuid]),
    );
    return row && this.#opened(tenant, connection.connectionId, row);
  }

  /** Ends a lease that needed no work. */
  async release({ tenant, cause, connection }: TokenOwner, { leases }: StoredTokens): Promise<void> {
    const values = [tenant.uuid, decodeId("con", connection.connectionId), leases];
    await this.#database.transaction(tenant, cause, ({ execute }) => execute(releaseLease, values));
  }

  /**
   * Stores what a lease's holder got, and ends the lease. False when another process has the lease now. `isRoutine`:
   * nothing that an event tells has happened.
   */
  refreshed(
    { tenant, cause, connection }: TokenOwner,
    lease: StoredTokens,
    tokens: VendorTokens,
    isRoutine = false,
  ): Promise<boolean> {
    const { connectionId, providerId, projectId } = connection;
    const values = this.#values(tenant, connectionId, tokens);
    const work = async ({ execute, record }: Transaction) => {
      const storedRows = await execute(storeLeased, storeLeased.valuesOf({ ...values, lease: lease.leases }));
      if (storedRows.length === 0) return false;
      if (isRoutine) return true;
      const expiresAt = values.expiresAt?.toISOString() ?? null;
      const data = { connectionId, providerId, expiresAt, scope: tokens.scope ?? null };
      record({ type: "TokenRefreshed", subject: `connections/${connectionId}`, projectId, data });
      return true;
    };
    return stubbornly(() => this.#database.transaction(tenant, cause, work));
  }

  /** Ends the lease after a failure. The first failure after a success is an event. */
  failed(
    { tenant, cause, connection }: TokenOwner,
    lease: StoredTokens,
    code: string,
    client: TokenClient | null,
  ): Promise<void> {
    const { connectionId, providerId, projectId } = connection;
    return this.#database.transaction(tenant, cause, async ({ execute, record }) => {
      const values = storeFailure.valuesOf({
        ...{ tenant: tenant.uuid, connection: decodeId("con", connectionId), lease: lease.leases },
        ...{ failedAt: this.#clock(), code, client },
      });
      const storedRows = await execute(storeFailure, values);
      if (storedRows.length === 0 || lease.failedAt !== null) return;
      const data = { connectionId, providerId, reason: code };
      record({ type: "TokenRefreshFailed", subject: `connections/${connectionId}`, projectId, data });
    });
  }

  #values({ tenantId, uuid }: Tenant, connectionId: string, tokens: VendorTokens) {
    const { accessToken, refreshToken, expiresIn, scope, client } = tokens;
    const plain: SealedTokens = { accessToken, ...(refreshToken !== undefined && { refreshToken }) };
    const sealedTokens = this.#envelopes.seal(Buffer.from(JSON.stringify(plain)), tokenBinding(tenantId, connectionId));
    const issuedAt = this.#clock();
    const expiresAt = expiresIn === undefined ? null : new Date(issuedAt.getTime() + expiresIn * 1000);
    return {
      ...{ tenant: uuid, connection: decodeId("con", connectionId), scope: scope ?? null, issuedAt, expiresAt, client },
      ...{ keyId: sealedTokens.keyId, wrappedKey: sealedTokens.wrappedKey, ciphertext: sealedTokens.ciphertext },
    };
  }

  #opened({ tenantId }: Tenant, connectionId: string, row: TokenRow): StoredTokens {
    const { key_id: keyId, wrapped_key: wrappedKey, ciphertext } = row;
    const tokens =
      keyId !== null && wrappedKey !== null && ciphertext !== null
        ? this.#open({ keyId, wrappedKey, ciphertext }, tokenBinding(tenantId, connectionId))
        : undefined;
    return {
      version: row.version,
      accessToken: tokens?.accessToken,
      refreshToken: tokens?.refreshToken,
      issuedAt: time(row.issued_at),
      expiresAt: time(row.expires_at),
      failedAt: time(row.failed_at),
      failureCode: row.failure_code,
      client: row.client,
      failedClient: row.failed_client,
      leases: row.leases,
      isLeased: row.is_leased,
    };
  }

  #open(sealedTokens: Parameters<EnvelopeSeal["open"]>[0], owner: string): SealedTokens {
    try {
      return JSON.parse(this.#envelopes.open(sealedTokens, owner).toString()) as SealedTokens;
    } catch (error) {
      if (!(error instanceof UnknownSealingKey)) throw error;
      throw new DomainError("SECRET_STORE_UNAVAILABLE", {
        detail:
          "The tokens of the connection cannot be read, because they were sealed with another SECRETS_KEY. Ask the operator to add the former key, or authorize the connection again.",
      });
    }
  }
}

async function stubbornly<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + storePatienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error;
    }
    await pause(storePauseMs, undefined, { ref: false });
  }
}

const time = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
