import { isDeepStrictEqual } from "node:util";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { FlagChange } from "@factory/schema/vocabularies/settings";
import type { FlagSettings } from "./evaluation/flag-rule.js";
import { FeatureFlag } from "./feature-flag.entity.js";
import type { SetFeatureFlagType } from "./feature-flag.type.js";
import { type FlagFacts, flagView, settingsOf } from "./feature-flag.view.js";
import type { FeatureFlagSet } from "./feature-flag-set.entity.js";
import { FeatureFlagVersion } from "./feature-flag-version.entity.js";
import { valueCountOf } from "./flag-settings.js";

/** The channel for changed flag sets. The payload is the tenant's id and its set's new version. */
export const flagChannel = "spine_feature_flags";

const maxFlags = 1000;
/** The number of values in all rules that a tenant has, which bounds the work of one evaluation. */
const maxValues = 10_000;
const keptVersions = 50;
/** The limit for the rules in one flag's history, as they are stored. The newest version always stays. */
const maxHistoryBytes = 256 * 1024;
const keptDeletedFlags = 100;

type SetRow = RowOf<FeatureFlagSet, "version" | "flagCount" | "valueCount">;

/** Locks the tenant's flags until the transaction ends. */
const lockSet = {
  name: "lock_feature_flag_set",
  text: `insert into feature_flag_sets as flags (tenant_id, version, flag_count, value_count, changed_at)
    values ($1, 0, 0, 0, clock_timestamp())
    on conflict (tenant_id) do update set version = flags.version
    returning version, flag_count, value_count`,
};

const updateSet = {
  name: "update_feature_flag_set",
  text: `update feature_flag_sets set version = version + 1, flag_count = flag_count + $2, value_count = value_count + $3,
      changed_at = clock_timestamp()
    where tenant_id = $1`,
};

const lastVersion = {
  name: "last_feature_flag_version",
  text: "select max(version) as version from feature_flag_versions where tenant_id = $1 and key = $2",
};

const forgetVersions = namedStatement(
  "forget_feature_flag_versions",
  `delete from feature_flag_versions old using (
      select version, sum(pg_column_size(rules)) over (order by version desc) as bytes from feature_flag_versions
      where tenant_id = $tenant and key = $key and version < $version) sized
    where old.tenant_id = $tenant and old.key = $key and old.version = sized.version
      and (old.version <= $version - $keptVersions or sized.bytes > $maxHistoryBytes)`,
);

/** A flag that was created again and deleted again has several such versions, and the newest one counts. */
const forgetDeletedFlags = {
  name: "forget_deleted_feature_flags",
  text: `delete from feature_flag_versions where tenant_id = $1 and key in (
      select key from feature_flag_versions deleted
      where tenant_id = $1 and change = 'Deleted'
        and not exists (select from feature_flags where tenant_id = $1 and key = deleted.key)
      group by key order by max(changed_at) desc offset $2)`,
};

/** A change to one flag, its author and its conditions. */
export interface FlagChangeRequest {
  readonly key: string;
  readonly preconditions: Preconditions;
  /** The subject in the caller's token. */
  readonly changedBy: string;
  /** Receives the new version of the tenant's flags after the commit. */
  readonly onCommitted: (change: { readonly tenantId: string; readonly version: number }) => void;
}

/** Creates or replaces a flag. Throws PRECONDITION_FAILED, or CONFLICT when the tenant has reached a limit. */
export async function writeFlag(
  transaction: Transaction,
  request: FlagChangeRequest & { readonly settings: FlagSettings; readonly change?: "Restored" },
): Promise<SetFeatureFlagType> {
  const { em, tenant } = transaction;
  const { key, settings, changedBy, onCommitted } = request;
  const { set, flag } = await lockedFlag(transaction, request);
  if (flag && isDeepStrictEqual(settingsOf(flag), settings)) return { ...flagView(flag), created: false };
  const growth = { flags: flag ? 0 : 1, values: valueCountOf(settings) - (flag ? valueCountOf(flag) : 0) };
  requireRoom(set, growth);
  const now = new Date();
  const storedSettings = { ...settings, rules: [...settings.rules] };
  const changedColumns = { ...storedSettings, updatedAt: now, updatedBy: changedBy };
  const [last] = flag ? [] : await transaction.execute<{ version: number | null }>(lastVersion, [tenant.uuid, key]);
  const version = (flag?.version ?? last?.version ?? 0) + 1;
  const { tenantId } = tenant;
  const writtenFlag = flag
    ? em.assign(flag, { ...changedColumns, version })
    : em.create(FeatureFlag, { tenantId, key, ...changedColumns, version, createdAt: now });
  em.persist(writtenFlag);
  await concludeChange(transaction, writtenFlag, {
    ...{ added: growth, set, onCommitted },
    change: request.change ?? (flag ? "Updated" : "Created"),
  });
  return { ...flagView(writtenFlag), created: !flag };
}

/** Deletes a flag and keeps its history; undefined if it does not exist. Throws PRECONDITION_FAILED. */
export async function deleteFlag(transaction: Transaction, request: FlagChangeRequest): Promise<FlagFacts | undefined> {
  const { set, flag } = await lockedFlag(transaction, request);
  if (!flag) return undefined;
  const flagFacts = flagView(flag);
  const deletion = {
    ...settingsOf(flag),
    key: flag.key,
    version: flag.version + 1,
    updatedAt: new Date(),
    updatedBy: request.changedBy,
  };
  transaction.em.remove(flag);
  const growth = { flags: -1, values: -valueCountOf(flag) };
  await concludeChange(transaction, deletion, {
    added: growth,
    set,
    change: "Deleted",
    onCommitted: request.onCommitted,
  });
  await transaction.em.flush();
  await transaction.defer(forgetDeletedFlags, [transaction.tenant.uuid, keptDeletedFlags]);
  return flagFacts;
}

async function lockedFlag(transaction: Transaction, { key, preconditions }: FlagChangeRequest) {
  const { em, tenant } = transaction;
  const [set] = await transaction.execute<SetRow>(lockSet, [tenant.uuid]);
  if (!set) throw new Error("The set of feature flags was not locked");
  const flag = (await em.findOne(FeatureFlag, { tenantId: tenant.tenantId, key })) ?? undefined;
  requirePreconditions(preconditions, flag?.version);
  return { set, flag };
}

interface Added {
  readonly flags: number;
  readonly values: number;
}

/** Writes what belongs to every change: a flag version, the set's version, the event, and the notice. */
async function concludeChange(
  transaction: Transaction,
  flag: FlagSettings & Pick<FeatureFlag, "key" | "version" | "updatedAt" | "updatedBy">,
  conclusion: { added: Added; set: SetRow; change: FlagChange } & Pick<FlagChangeRequest, "onCommitted">,
): Promise<void> {
  const { em, tenant } = transaction;
  const { tenantId } = tenant;
  const { added, set, change, onCommitted } = conclusion;
  const { key, version, updatedAt: changedAt, updatedBy: changedBy } = flag;
  const settings = { ...settingsOf(flag), rules: [...flag.rules] };
  em.persist(em.create(FeatureFlagVersion, { tenantId, key, version, change, ...settings, changedAt, changedBy }));
  await transaction.defer(updateSet, [tenant.uuid, added.flags, added.values]);
  const limits = { tenant: tenant.uuid, key, version, keptVersions, maxHistoryBytes };
  if (version > 1) await transaction.defer(forgetVersions, forgetVersions.valuesOf(limits));
  // rules may contain people's e-mail addresses, and events are kept and sent to webhooks
  const { rules, ...eventSettings } = settings;
  const data = { tenantId, key, change, version, ...eventSettings, ruleCount: rules.length };
  transaction.record({
    type: "FeatureFlagUpdated",
    subject: `feature-flags/${key}`,
    data: { ...data, updatedAt: changedAt.toISOString(), updatedBy: changedBy },
  });
  const setVersion = set.version + 1;
  transaction.afterCommit(() => onCommitted({ tenantId, version: setVersion }));
  transaction.notify(flagChannel, `${tenantId} ${setVersion}`);
}

function requireRoom(set: SetRow, growth: Added): void {
  if (growth.flags > 0 && set.flag_count + growth.flags > maxFlags)
    throw full(`The tenant has ${maxFlags} feature flags, which is the limit. Delete some of them first.`, maxFlags);
  if (growth.values > 0 && set.value_count + growth.values > maxValues)
    throw full(
      `The rules of all feature flags of a tenant may have at most ${maxValues} values together, where a value of STR_CONTAINS counts as 20. Remove some of them first.`,
      maxValues,
    );
}

const full = (detail: string, limit: number) => new DomainError("CONFLICT", { detail, limit });
