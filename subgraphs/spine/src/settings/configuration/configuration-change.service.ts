import type { Principal } from "@factory/runtime/auth/principal";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { type AuthenticationLevel, higherLevel } from "@factory/schema/authentication-levels";
import { isSettingKey } from "@factory/schema/tenant-settings";
import type { SetConfigurationInput } from "./configuration.input.js";
import type { ChangedConfigEntryType, ConfigurationChange } from "./configuration.type.js";
import { requireWritableKey, unknownEntry } from "./configuration-key.js";
import type { ConfigurationSecrets } from "./configuration-secrets.js";
import { checkedValue, ownSetting, requireSettingValue } from "./configuration-value.js";
import type { ConfigurationVersion } from "./configuration-version.entity.js";
import { requireTenantsOwnChange } from "./platform-clients-switch.js";
import type { SettingApprovals } from "./proposed-setting.js";
import type { RepositorySchemes } from "./repository-schemes.js";
import { requireMayChange, requirePersonToWeaken, settingInForce, weakeningOf } from "./setting-protection.js";
import type { TenantSettings } from "./tenant-settings.js";
import {
  type EntryBefore,
  lockEntry,
  type StoredValue,
  unchangedEntry,
  waitingEntry,
  writeEntry,
} from "./write-entry.js";

const keptVersion = {
  name: "configuration_kept_version",
  text: `select value::text as value, sealed_value, is_secret, description from configuration_versions
    where tenant_id = $1 and key = $2 and version = $3 and change <> 'Deleted'`,
};

type KeptRow = RowOf<ConfigurationVersion, "sealedValue" | "isSecret" | "description"> & { value: string | null };

/** A checked input. `text` is the value as JSON text. */
interface NewEntry {
  readonly text: string;
  readonly value: unknown;
  readonly isSecret: boolean | null;
  readonly description: string | null;
}

interface NextEntry {
  readonly change: ConfigurationChange;
  readonly stored: StoredValue;
}

interface EntryChange {
  readonly arguments: unknown;
  readonly formerArguments?: readonly unknown[];
  /** The entry's next state; undefined if the change changes nothing. */
  readonly next: (transaction: Transaction, entry: EntryBefore) => Promise<NextEntry | undefined>;
}

interface AskedChange {
  readonly principal: Principal;
  readonly entry: EntryBefore;
  readonly next: NextEntry;
  readonly approvalLevel: AuthenticationLevel | null;
}

interface ChangeParts {
  readonly database: Database;
  readonly secrets: ConfigurationSecrets;
  readonly settings: TenantSettings;
  readonly schemes: RepositorySchemes;
}

/**
 * Sets, deletes and restores the configuration entries for the caller's tenant. Every way to change a protected setting
 * obeys the rule in its declaration: a weaker value may need a person and wait for a second one.
 */
export class ConfigurationChangeService {
  readonly #database: Database;
  readonly #secrets: ConfigurationSecrets;
  readonly #settings: TenantSettings;
  readonly #schemes: RepositorySchemes;
  #approvals: SettingApprovals | undefined;

  constructor({ database, secrets, settings, schemes }: ChangeParts) {
    this.#database = database;
    this.#secrets = secrets;
    this.#settings = settings;
    this.#schemes = schemes;
  }

  /** A value and description that are equal to the stored ones change nothing, unless the entry is secret. */
  set(
    context: RequestContext,
    key: string,
    input: SetConfigurationInput,
    preconditions: Preconditions,
  ): Promise<ChangedConfigEntryType> {
    requireWritableKey(key);
    const { description = null, isSecret = null } = input;
    const value = isSettingKey(key) ? ownSetting(key, input.value) : input.value;
    const text = checkedValue(key, { value, isSecret });
    this.#schemes.require(key, value);
    const requestWith = (digest: string) => ({
      key,
      input: { value: digest, description, isSecret },
      ...preconditions,
    });
    return this.#change(context, "setConfigEntry", key, {
      // a stored request must not allow guessing a secret value
      arguments: requestWith(this.#secrets.digest(value)),
      formerArguments: this.#secrets.formerDigests(value).map(requestWith),
      next: async ({ tenant }, entry) => {
        requirePreconditions(preconditions, entry.version);
        const storedValue = this.#stored(tenant.tenantId, entry, { text, value, isSecret, description });
        return isUnchanged(entry, storedValue) ? undefined : { change: "Set", stored: storedValue };
      },
    });
  }

  /** The platform's default holds again. Throws NOT_FOUND. */
  delete(context: RequestContext, key: string, preconditions: Preconditions): Promise<ChangedConfigEntryType> {
    requireWritableKey(key);
    return this.#change(context, "deleteConfigEntry", key, {
      arguments: { key, ...preconditions },
      next: async (_, entry) => {
        if (entry.version === undefined) throw unknownEntry();
        requirePreconditions(preconditions, entry.version);
        const { isSecret, description } = entry.stored;
        return { change: "Deleted", stored: { value: null, sealedValue: null, isSecret, description } };
      },
    });
  }

  /** Makes a kept version the current one, as a new version. Throws NOT_FOUND. */
  restore(
    context: RequestContext,
    key: string,
    version: number,
    preconditions: Preconditions,
  ): Promise<ChangedConfigEntryType> {
    requireWritableKey(key);
    return this.#change(context, "restoreConfigEntry", key, {
      arguments: { key, version, ...preconditions },
      next: async (transaction, entry) => {
        const storedValue = await this.#kept(transaction, entry, version);
        requirePreconditions(preconditions, entry.version);
        return isUnchanged(entry, storedValue) ? undefined : { change: "Restored", stored: storedValue };
      },
    });
  }

  /** The slice that keeps changes until another person has approved them calls this at its start. */
  useApprovals(approvals: SettingApprovals): void {
    this.#approvals = approvals;
  }

  #change(
    context: RequestContext,
    field: string,
    key: string,
    { next: nextOf, ...request }: EntryChange,
  ): Promise<ChangedConfigEntryType> {
    const principal = principalOf(context);
    requireMayChange(principal, key);
    return idempotentMutation(this.#database, context, {
      field,
      ...request,
      prepare: () => this.#settings.get(tenantOf(context), "governance.approve.acr"),
      commit: async (transaction, approvalLevel) => {
        await requireTenantsOwnChange(transaction, context, key);
        const entry = await lockEntry(transaction, key);
        const next = await nextOf(transaction, entry);
        if (!next) return unchangedEntry(entry);
        const waiting = await this.#waiting(transaction, { principal, entry, next, approvalLevel });
        if (waiting) return waiting;
        transaction.afterCommit(() => this.#settings.drop(transaction.tenant.tenantId));
        if (isSettingKey(key)) await this.#approvals?.end(transaction, key);
        const writtenEntry = await writeEntry(transaction, entry, { ...next, by: principal.subject });
        return next.change === "Deleted" ? unchangedEntry(entry) : writtenEntry;
      },
    });
  }

  /** The answer to a change that has to wait for another person; undefined if it acts at once. */
  async #waiting(
    transaction: Transaction,
    { principal, entry, next, approvalLevel }: AskedChange,
  ): Promise<ChangedConfigEntryType | undefined> {
    const { key, lastVersion: entryVersion } = entry;
    if (!isSettingKey(key)) return undefined;
    const { change, stored } = next;
    const [oldValue, newValue] = [settingInForce(key, entry.stored.value), settingInForce(key, stored.value)];
    const weakening = weakeningOf(key, { next: newValue, present: oldValue });
    if (!weakening) return undefined;
    requirePersonToWeaken(principal, key, { weakening, approvalLevel });
    if (!weakening.secondPerson) return undefined;
    if (!this.#approvals) throw new Error("No slice keeps the changes that need a second person");
    const { description } = stored;
    const proposedSetting = { key, change, entryVersion, oldValue, newValue, description };
    const requiredAcr = higherLevel(weakening.level, approvalLevel);
    const approvalId = await this.#approvals.request(transaction, {
      principal,
      proposed: proposedSetting,
      requiredAcr,
    });
    return waitingEntry(entry, { approvalId, valueInForce: oldValue });
  }

  /** A secret entry stays secret unless the input says otherwise, and the input always has a new value. */
  #stored(
    tenantId: string,
    { key, stored, lastVersion }: EntryBefore,
    { text, value, isSecret, description }: NewEntry,
  ): StoredValue {
    const secret = isSecret ?? stored.isSecret;
    if (!secret) return { value: text, sealedValue: null, isSecret: false, description };
    checkedValue(key, { value, isSecret: true });
    return {
      value: null,
      sealedValue: this.#secrets.seal({ tenantId, key, version: lastVersion + 1 }, text),
      isSecret: true,
      description,
    };
  }

  /** A release may have changed the schema since, so the value is checked again. */
  async #kept(
    { execute, tenant }: Transaction,
    { key, lastVersion }: EntryBefore,
    version: number,
  ): Promise<StoredValue> {
    const [row] = await execute<KeptRow>(keptVersion, [tenant.uuid, key, version]);
    if (!row)
      throw new DomainError("NOT_FOUND", {
        detail: "This version of the entry does not exist, or it is not kept any more. See configEntryHistory.",
      });
    const { value, sealed_value: sealedText, is_secret: isSecret, description } = row;
    if (value !== null) {
      requireSettingValue(key, JSON.parse(value), "/version");
      this.#schemes.require(key, JSON.parse(value), "/version");
    }
    if (sealedText === null) return { value, sealedValue: null, isSecret, description };
    const owner = { tenantId: tenant.tenantId, key };
    const text = this.#secrets.open({ ...owner, version }, sealedText);
    const sealedValue = this.#secrets.seal({ ...owner, version: lastVersion + 1 }, text);
    return { value, sealedValue, isSecret, description };
  }
}

/** A secret value always counts as changed: otherwise a caller could find out a secret by guessing. */
function isUnchanged({ version, stored }: EntryBefore, next: StoredValue): boolean {
  if (version === undefined || stored.isSecret || next.isSecret) return false;
  if (stored.description !== next.description || stored.value === null || next.value === null) return false;
  return fingerprint(parseForeignJson(stored.value)) === fingerprint(parseForeignJson(next.value));
}
