import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type {
  EditionSnapshot,
  EditionsRequest,
  EditionsResponse,
  SnapshotsRequest,
  SnapshotsResponse,
  TenantSnapshot,
} from "@factory/schema/proto/generated/factory/spine/v1/tenants";
import { isSettingKey, tenantSettings } from "@factory/schema/tenant-settings";
import { fitsSetting } from "../../settings/configuration/configuration-value.js";
import { platformTenant } from "../../tenants/tenants/platform-tenant.js";
import {
  changedSnapshots,
  type EditionRow,
  editionsAfter,
  type SnapshotRow,
  snapshotsOfTenants,
} from "./snapshot-statement.js";

const settingKeys = Object.keys(tenantSettings);
const maxTenants = 500;
/** A gRPC message has at most 1 MiB. */
const maxPageBytes = 768 * 1024;

interface SnapshotPage {
  readonly tenants: TenantSnapshot[];
  readonly readAtMs: number;
  /** The page's last row when further rows follow. */
  readonly continuesAfter?: SnapshotRow | undefined;
}

/** Reads tenants' facts, of which other subgraphs keep a copy, with one statement for a page. */
export class TenantSnapshotService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async snapshots(
    { tenantIds, changedSinceMs, pageToken: token }: SnapshotsRequest,
    trace: Trace,
  ): Promise<SnapshotsResponse> {
    if (tenantIds.length > 0) return this.#ofTenants(tenantIds, trace);
    return this.#changed(token === "" ? positionBefore(changedSinceMs) : positionOf(token), trace);
  }

  /** As many editions as fit into a message, after the code in the page token. */
  async editions({ pageToken: after }: EditionsRequest, trace: Trace): Promise<EditionsResponse> {
    const rows = await this.#database.transaction(platformTenant, { trace }, ({ execute }) =>
      execute<EditionRow>(editionsAfter, [after]),
    );
    const editions: EditionSnapshot[] = [];
    let bytes = 0;
    for (const { code, version, features } of rows) {
      const featuresJson = JSON.stringify(features);
      bytes += 200 + Buffer.byteLength(featuresJson);
      const last = editions.at(-1);
      if (last && bytes > maxPageBytes) return { editions, nextPageToken: last.code };
      editions.push({ code, version, featuresJson });
    }
    return { editions, nextPageToken: "" };
  }

  async #ofTenants(tenantIds: readonly string[], trace: Trace): Promise<SnapshotsResponse> {
    if (tenantIds.length > maxTenants)
      throw new DomainError("VALIDATION_FAILED", {
        detail: `The request has ${tenantIds.length} tenants. Send at most ${maxTenants}.`,
      });
    const ids = tenantIds.flatMap((tenantId) => decodeId("ten", tenantId) ?? []);
    const rows = await this.#read(trace, snapshotsOfTenants, [ids, settingKeys]);
    const { tenants, readAtMs, continuesAfter } = pageOf(rows);
    return { tenants, readAtMs, nextPageToken: continuesAfter ? "more" : "" };
  }

  async #changed(after: SnapshotPosition, trace: Trace): Promise<SnapshotsResponse> {
    const values = changedSnapshots.valuesOf({ ...after, limit: maxTenants + 1, keys: settingKeys });
    const rows = await this.#read(trace, changedSnapshots, values);
    const { tenants, readAtMs, continuesAfter } = pageOf(rows);
    const next = continuesAfter && { changedAt: continuesAfter.changed_at, tenant: continuesAfter.tenant_id };
    return { tenants, readAtMs, nextPageToken: next ? pageToken(next) : "" };
  }

  #read(trace: Trace, statement: PreparedStatement, values: unknown[]): Promise<SnapshotRow[]> {
    return this.#database.transaction(platformTenant, { trace }, ({ execute }) =>
      execute<SnapshotRow>(statement, values),
    );
  }
}

/** As many rows as a page and a message may have. The first row always fits. */
function pageOf(rows: readonly SnapshotRow[]): SnapshotPage {
  const tenants: TenantSnapshot[] = [];
  // Only rows tell the database's time. After an empty page the caller asks for the same changes again.
  const readAtMs = Number(rows[0]?.read_at ?? 0);
  let bytes = 0;
  for (const [place, row] of rows.entries()) {
    const snapshot = snapshotOf(row);
    bytes += sizeOf(snapshot);
    const last = rows[place - 1];
    if (last && (place === maxTenants || bytes > maxPageBytes)) return { tenants, readAtMs, continuesAfter: last };
    tenants.push(snapshot);
  }
  return { tenants, readAtMs };
}

function snapshotOf(row: SnapshotRow): TenantSnapshot {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    version: Number(row.version),
    slug: row.slug,
    status: row.status,
    editionCode: row.edition_code,
    subscriptionStatus: row.subscription_status ?? "",
    settingsJson: JSON.stringify(knownSettings(row)),
    limitsJson: JSON.stringify(row.limits),
  };
}

/** A release may know fewer values than the one that stored them. */
const knownSettings = ({ settings }: SnapshotRow) =>
  Object.fromEntries(
    Object.entries(settings ?? {})
      .map(([key, value]) => [key, withPlainNumbers(value)] as const)
      .filter(([key, value]) => isSettingKey(key) && fitsSetting(key, value)),
  );

const sizeOf = ({ settingsJson, limitsJson }: TenantSnapshot): number =>
  200 + Buffer.byteLength(settingsJson) + Buffer.byteLength(limitsJson);

/** The position after which a page begins, ordered by change. */
interface SnapshotPosition {
  /** Microseconds since 1970, as decimal text. */
  readonly changedAt: string;
  readonly tenant: string;
}

const tokenForm = /^(\d{1,18})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The position before all tenants that have changed at or after the time. */
function positionBefore(changedSinceMs: number): SnapshotPosition {
  if (!Number.isSafeInteger(changedSinceMs) || changedSinceMs < 0 || changedSinceMs > maxEpochMs)
    throw refusal("/changed_since_ms", "The time must be in milliseconds since 1970.");
  return { changedAt: `${BigInt(changedSinceMs) * 1000n}`, tenant: nilUuid };
}

/** 31 December 9999. */
const maxEpochMs = 253_402_300_799_999;

/** Reads the previous page's `next_page_token`. */
function positionOf(pageToken: string): SnapshotPosition {
  const [, changedAt, tenant] = tokenForm.exec(pageToken) ?? [];
  if (changedAt === undefined || tenant === undefined)
    throw refusal("/page_token", "Send the next_page_token of the page before.");
  return { changedAt, tenant };
}

/** The `next_page_token` for a page that ends at this position. */
const pageToken = ({ changedAt, tenant }: SnapshotPosition): string => `${changedAt}~${tenant}`;

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code: "FORMAT", detail }] });
}
