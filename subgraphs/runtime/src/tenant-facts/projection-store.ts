import type { Pool } from "pg";
import { noticeStatement } from "../db/notice.js";
import type { TenantReader } from "../db/tenant-reader.js";
import { tenantStatement } from "../db/tenant-statement.js";
import { decodeId, encodeId } from "../identifiers/wire-id.js";
import { tenantWithId } from "../tenancy/tenant.js";
import type { EditionCopy, TenantCopy } from "./tenant-copy.js";

/** Announces stored copies to the other processes: `<uuid>:<version>` for each tenant, with blanks between them. */
export const projectionChannel = (schema: string): string => `${schema}_tenant_projections`;

/** The payload that announces editions. */
export const editionsNotice = "editions";

/** A payload has less than 8,000 bytes. */
const tenantsPerNotice = 120;

const tenantById = tenantStatement(
  "tenant_projection",
  `select version, slug, status, edition_code, subscription_status, settings, limits
   from tenant_projections where tenant_id = scope.tenant`,
);

interface TenantRow {
  version: string;
  slug: string;
  status: string;
  edition_code: string;
  subscription_status: string;
  settings: Record<string, unknown>;
  limits: Record<string, unknown>;
}

/** Keeps only newer versions. The row order prevents deadlocks between two processes. */
const storeTenants = {
  name: "store_tenant_projections",
  text: `insert into tenant_projections as known
      (tenant_id, version, slug, status, edition_code, subscription_status, settings, limits, stored_at)
    select tenant_id, version, slug, status, edition_code, subscription_status, settings, limits, now()
    from jsonb_to_recordset($1::jsonb) as copy (tenant_id uuid, version bigint, slug text, status text,
      edition_code text, subscription_status text, settings jsonb, limits jsonb)
    order by tenant_id
    on conflict (tenant_id) do update set version = excluded.version, slug = excluded.slug, status = excluded.status,
      edition_code = excluded.edition_code, subscription_status = excluded.subscription_status,
      settings = excluded.settings, limits = excluded.limits, stored_at = excluded.stored_at
    where known.version < excluded.version
    returning tenant_id, version`,
};

const storeEditions = {
  name: "store_edition_projections",
  text: `insert into edition_projections as known (code, version, features)
    select code, version, features
    from jsonb_to_recordset($1::jsonb) as copy (code text, version integer, features jsonb) order by code
    on conflict (code) do update set version = excluded.version, features = excluded.features
    where known.version < excluded.version
    returning code`,
};

const claimRefresh = {
  name: "claim_projection_refresh",
  text: `insert into projection_refreshes as known (name, changed_since_ms, next_at)
    values ('tenants', 0, now() + make_interval(secs => $1))
    on conflict (name) do update set next_at = excluded.next_at where known.next_at <= now()
    returning changed_since_ms`,
};

const noteRefresh = {
  name: "note_projection_refresh",
  text: `update projection_refreshes
    set changed_since_ms = coalesce($1, changed_since_ms), next_at = now() + make_interval(secs => $2)
    where name = 'tenants'`,
};

/** The tables with the copies in one schema. */
export class ProjectionStore {
  readonly #workers: Pick<Pool, "query">;
  readonly #reader: Pick<TenantReader, "row">;
  readonly #channel: string;

  constructor(options: { workers: Pick<Pool, "query">; reader: Pick<TenantReader, "row">; schema: string }) {
    this.#workers = options.workers;
    this.#reader = options.reader;
    this.#channel = projectionChannel(options.schema);
  }

  async tenant(tenantId: string): Promise<TenantCopy | undefined> {
    const row = await this.#reader.row<TenantRow>(tenantById, tenantWithId(tenantId));
    if (!row) return undefined;
    const { version, slug, status, edition_code, subscription_status, settings, limits } = row;
    const facts = { slug, status, editionCode: edition_code, subscriptionStatus: subscription_status };
    return { tenantId, version: Number(version), ...facts, settings, limits };
  }

  async editions(): Promise<EditionCopy[]> {
    const { rows } = await this.#workers.query<EditionCopy>("select code, version, features from edition_projections");
    return rows;
  }

  /** Stores the copies that are newer, and tells every process. */
  async storeTenants(copies: readonly TenantCopy[]): Promise<void> {
    if (copies.length === 0) return;
    const rows = copies.map(({ tenantId, editionCode, subscriptionStatus, ...copy }) => ({
      ...copy,
      tenant_id: decodeId("ten", tenantId),
      edition_code: editionCode,
      subscription_status: subscriptionStatus,
    }));
    const { rows: storedRows } = await this.#workers.query<{ tenant_id: string; version: string }>({
      ...storeTenants,
      values: [JSON.stringify(rows)],
    });
    for (let start = 0; start < storedRows.length; start += tenantsPerNotice) {
      const part = storedRows.slice(start, start + tenantsPerNotice);
      await this.#tell(part.map(({ tenant_id, version }) => `${tenant_id}:${version}`).join(" "));
    }
  }

  async storeEditions(copies: readonly EditionCopy[]): Promise<void> {
    const { rowCount } = await this.#workers.query({ ...storeEditions, values: [JSON.stringify(copies)] });
    if (rowCount) await this.#tell(editionsNotice);
  }

  /** The time since which changes are to be read, when a refresh is due and no other process has it. */
  async claimRefresh(seconds: number): Promise<number | undefined> {
    const { rows } = await this.#workers.query<{ changed_since_ms: string }>({ ...claimRefresh, values: [seconds] });
    return rows[0] && Number(rows[0].changed_since_ms);
  }

  /** Keeps the refresh for more seconds, and stores its new position, if there is one. */
  async noteRefresh(changedSinceMs: number | null, seconds: number): Promise<void> {
    await this.#workers.query({ ...noteRefresh, values: [changedSinceMs, seconds] });
  }

  async #tell(payload: string): Promise<void> {
    await this.#workers.query(noticeStatement({ channel: this.#channel, payload }));
  }
}

/** The tenants in a notice with their versions. */
export function noticedTenants(payload: string): { tenantId: string; version: number }[] {
  return payload.split(" ").map((entry) => {
    const [uuid = "", version = ""] = entry.split(":");
    return { tenantId: encodeId("ten", uuid), version: Number(version) };
  });
}
