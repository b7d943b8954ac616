import type { RowOf } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { Preconditions } from "@factory/runtime/input-validation/preconditions";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { booleanFilter, textCondition } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { FeatureFlagFilterInput, SetFeatureFlagInput } from "./feature-flag.input.js";
import type {
  FeatureFlagConnection,
  FeatureFlagType,
  FeatureFlagVersionConnection,
  FeatureFlagVersionType,
  SetFeatureFlagType,
} from "./feature-flag.type.js";
import {
  type FlagRow,
  flagColumns,
  flagVersionColumns,
  flagView,
  readFlag,
  readVersion,
  settingsOf,
  versionView,
} from "./feature-flag.view.js";
import { FeatureFlagVersion } from "./feature-flag-version.entity.js";
import type { FlagSetChange, FlagSets } from "./flag-sets.js";
import { settingsFrom } from "./flag-settings.js";
import { deleteFlag, type FlagChangeRequest, writeFlag } from "./write-flag.js";

const oneFlag = keyStatement(
  "one_feature_flag",
  `select ${flagColumns} from feature_flags where tenant_id = scope.tenant and key = $2`,
  "text",
);

const oneVersion = tenantStatement(
  "one_feature_flag_version",
  "select version from feature_flag_versions where tenant_id = scope.tenant and key = $2 order by version desc limit 1",
);

export const sortedFlags = new SortedList<FeatureFlagType, TenantStatement>({
  list: "feature_flags",
  columns: {
    key: { column: "key", type: "text", unique: true, of: ({ key }) => key },
    updatedAt: { column: "updated_at", type: "timestamptz", of: ({ updatedAt }) => updatedAt },
  },
  id: { column: "key", type: "text", of: ({ key }) => key },
  byDefault: "key",
  filters: {
    enabled: booleanFilter("enabled"),
    prefix: textCondition((prefix) => `starts_with(key, ${prefix})`),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${flagColumns} from feature_flags where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

export const sortedFlagVersions = new SortedList<FeatureFlagVersionType, TenantStatement>({
  list: "feature_flag_versions",
  columns: { version: { column: "version", type: "integer", unique: true, of: ({ version }) => String(version) } },
  id: { column: "version", type: "integer", of: ({ version }) => String(version) },
  byDefault: "-version",
  parameters: ["key"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${flagVersionColumns} from feature_flag_versions where tenant_id = scope.tenant and key = ${place("key")} ${after}
       order by ${order} limit ${limit}`,
    ),
});

const rowView = (row: FlagRow) => flagView(readFlag(row));

const keyForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Reads and changes a tenant's feature flags. */
export class FeatureFlagService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #sets: FlagSets;

  constructor(database: Database, cursors: CursorSeal, sets: FlagSets) {
    this.#database = database;
    this.#cursors = cursors;
    this.#sets = sets;
  }

  async get(context: RequestContext, key: string): Promise<FeatureFlagType> {
    const row = await this.#database.reader.row<FlagRow>(oneFlag, tenantOf(context), key);
    if (!row) throw unknownFlag();
    return rowView(row);
  }

  list(context: RequestContext, request: PageRequest<FeatureFlagFilterInput>): Promise<FeatureFlagConnection> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedFlags, list, request, rowView);
  }

  /** A flag's versions, even if it is deleted. Throws NOT_FOUND if the tenant never had it. */
  async history(
    context: RequestContext,
    key: string,
    request: PageRequest<never>,
  ): Promise<FeatureFlagVersionConnection> {
    const tenant = tenantOf(context);
    const { reader } = this.#database;
    const page = sortedFlagVersions.page(this.#cursors, { tenantId: tenant.tenantId, key }, request, { key });
    const rows = await reader.rows<RowOf<FeatureFlagVersion>>(page.statement, tenant, ...page.values);
    if (rows.length === 0 && !(await reader.row(oneVersion, tenant, key))) throw unknownFlag();
    return page.connection(rows.map((row) => versionView(readVersion(row))));
  }

  /** Creates or replaces a flag. A flag that stays the same keeps its version, and no event is recorded. */
  async set(
    context: RequestContext,
    key: string,
    input: SetFeatureFlagInput,
    preconditions: Preconditions,
  ): Promise<SetFeatureFlagType> {
    if (!keyForm.test(key)) throw malformedKey();
    const settings = settingsFrom(input);
    return this.#change(context, "setFeatureFlag", { key, input, ...preconditions }, (transaction, by) =>
      writeFlag(transaction, { key, settings, preconditions, ...by }),
    );
  }

  /** Throws NOT_FOUND if the flag does not exist. */
  delete(context: RequestContext, key: string, preconditions: Preconditions): Promise<FeatureFlagType> {
    return this.#change(context, "deleteFeatureFlag", { key, ...preconditions }, async (transaction, by) => {
      const deletedFlag = await deleteFlag(transaction, { key, preconditions, ...by });
      if (!deletedFlag) throw unknownFlag();
      return deletedFlag;
    });
  }

  /** Makes a flag what it was in an earlier version. Throws NOT_FOUND for a version that is not kept. */
  restore(
    context: RequestContext,
    key: string,
    version: number,
    preconditions: Preconditions,
  ): Promise<SetFeatureFlagType> {
    const request = { key, version, ...preconditions };
    return this.#change(context, "restoreFeatureFlag", request, async (transaction, by) => {
      const { tenantId } = transaction.tenant;
      const former = await transaction.em.findOne(FeatureFlagVersion, { tenantId, key, version });
      if (!former) throw unknownVersion();
      const settings = settingsOf(former);
      return writeFlag(transaction, { key, settings, preconditions, ...by, change: "Restored" });
    });
  }

  /** The answer comes when evaluations in this process use the change. */
  async #change<Result>(
    context: RequestContext,
    field: string,
    request: Record<string, unknown>,
    commit: (transaction: Transaction, by: Pick<FlagChangeRequest, "changedBy" | "onCommitted">) => Promise<Result>,
  ): Promise<Result> {
    const by = {
      changedBy: principalOf(context).subject,
      onCommitted: (change: FlagSetChange) => this.#sets.changed(change),
    };
    const result = await idempotentMutation(this.#database, context, {
      field,
      arguments: request,
      commit: (transaction) => commit(transaction, by),
    });
    // the change is committed, so a read that fails now is tried again by the next evaluation
    await this.#sets.renew(tenantOf(context).tenantId).catch(() => undefined);
    return result;
  }
}

const unknownFlag = () =>
  new DomainError("NOT_FOUND", { detail: "The tenant has no feature flag with this key. PUT creates one." });

const unknownVersion = () =>
  new DomainError("NOT_FOUND", {
    detail: "This version of the feature flag does not exist, or it is not kept any more. See featureFlagHistory.",
  });

const malformedKey = () =>
  new DomainError("VALIDATION_FAILED", {
    detail: "The key of the feature flag is not well formed. See errors.",
    errors: [
      {
        pointer: "/key",
        code: "FORMAT",
        detail: "Must have 1 to 100 letters, digits, dots, underscores and hyphens, and begin with a letter or digit.",
      },
    ],
  });
