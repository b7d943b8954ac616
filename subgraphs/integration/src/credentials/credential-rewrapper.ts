import { setTimeout as pause } from "node:timers/promises";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { SecretStore } from "./secret-store.js";

interface Options {
  readonly database: Database;
  /** Connects as the worker role. */
  readonly pool: Pool;
  readonly store: SecretStore;
  readonly logger: Logger;
}

interface WrappedRow {
  credential_id: string;
  version: number;
  key_id: string;
  wrapped_key: Buffer;
}

const tenantBatch = 500;
const versionBatch = 100;
const patienceMs = 30_000;
const lowestUuid = "00000000-0000-0000-0000-000000000000";

const tenantsToRewrap = `select distinct tenant_id from credential_versions
  where key_id <> $1 and wrapped_key is not null and tenant_id > $2 order by tenant_id limit ${tenantBatch}`;

const wrappedVersions = `select credential_id, version, key_id, wrapped_key from credential_versions
  where tenant_id = $1 and key_id <> $2 and wrapped_key is not null and (credential_id, version) > ($3::uuid, $4::int)
  order by credential_id, version limit ${versionBatch} for update`;

const rewrap = `update credential_versions stored set key_id = rewrapped.key_id, wrapped_key = rewrapped.wrapped_key
  from unnest($2::uuid[], $3::int[], $4::text[], $5::bytea[]) as rewrapped(credential_id, version, key_id, wrapped_key)
  where stored.tenant_id = $1 and stored.credential_id = rewrapped.credential_id and stored.version = rewrapped.version`;

/**
 * Wraps the data keys of credentials with the newest master key, in the background after each start. A former master
 * key can be removed when the log says that all credentials are wrapped by the newest one. The work may stop at any
 * moment, because each version names the key that wraps it.
 */
export class CredentialRewrapper {
  readonly #options: Options;
  readonly #stopping = new AbortController();
  #running: Promise<number> = Promise.resolve(0);

  constructor(options: Options) {
    this.#options = options;
  }

  /** Resolves with the number of versions that were rewrapped. */
  start(): Promise<number> {
    this.#running = this.#run();
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<number> {
    const { logger } = this.#options;
    const { signal } = this.#stopping;
    let rewrapped = 0;
    while (!signal.aborted) {
      try {
        let tenants = await this.#tenantsAfter(lowestUuid);
        while (tenants.length > 0 && !signal.aborted) {
          for (const tenant of tenants) rewrapped += await this.#rewrapAll(tenantWithId(encodeId("ten", tenant)));
          tenants = await this.#tenantsAfter(tenants.at(-1) ?? lowestUuid);
        }
        if (!signal.aborted) logger.info({ rewrapped }, "all credentials are wrapped by the newest SECRETS_KEY");
        return rewrapped;
      } catch (error) {
        logger.warn({ err: error }, "credentials were not rewrapped; the next try is in 30 s");
      }
      await pause(patienceMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return rewrapped;
  }

  async #tenantsAfter(uuid: string): Promise<string[]> {
    const { pool, store } = this.#options;
    const { rows } = await pool.query<{ tenant_id: string }>(tenantsToRewrap, [store.newestKeyId, uuid]);
    return rows.map(({ tenant_id }) => tenant_id);
  }

  async #rewrapAll(tenant: Tenant): Promise<number> {
    let rewrapped = 0;
    let last: WrappedRow | undefined;
    do {
      const [rows, done] = await this.#rewrapSome(tenant, last);
      rewrapped += done;
      last = rows.length === versionBatch ? rows.at(-1) : undefined;
    } while (last && !this.#stopping.signal.aborted);
    return rewrapped;
  }

  #rewrapSome(tenant: Tenant, after: WrappedRow | undefined): Promise<[WrappedRow[], number]> {
    const { database, store } = this.#options;
    return database.transaction(tenant, { trace: continueTrace(undefined) }, async ({ execute }) => {
      const place = [after?.credential_id ?? lowestUuid, after?.version ?? 0];
      const rows = await execute<WrappedRow>(wrappedVersions, [tenant.uuid, store.newestKeyId, ...place]);
      const renewed = (await Promise.all(rows.map((row) => this.#rewrapped(tenant, row)))).flat();
      await execute(rewrap, [
        tenant.uuid,
        renewed.map(({ credential_id }) => credential_id),
        renewed.map(({ version }) => version),
        renewed.map(({ key_id }) => key_id),
        renewed.map(({ wrapped_key }) => wrapped_key),
      ]);
      return [rows, renewed.length];
    });
  }

  /** Returns nothing for a damaged secret, so that the others are still rewrapped. */
  async #rewrapped({ tenantId }: Tenant, { credential_id: uuid, version, ...row }: WrappedRow): Promise<WrappedRow[]> {
    const { store, logger } = this.#options;
    const owner = { tenantId, credentialId: encodeId("crd", uuid), version };
    try {
      const { keyId, wrappedKey } = await store.rewrapped(owner, { keyId: row.key_id, wrappedKey: row.wrapped_key });
      return [{ credential_id: uuid, version, key_id: keyId, wrapped_key: wrappedKey }];
    } catch (error) {
      logger.error({ err: error, ...owner }, "the secret of a credential is damaged");
      return [];
    }
  }
}
