import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import type { SetConfigurationInput } from "./configuration.input.js";
import type { ChangedConfigEntryType } from "./configuration.type.js";
import { requireGovernance, requireWritableKey, unknownEntry } from "./configuration-key.js";
import type { ConfigurationSecrets } from "./configuration-secrets.js";
import { checkedValue, requireSettingValue } from "./configuration-value.js";
import { requireTenantsOwnChange } from "./platform-clients-switch.js";
import type { RepositorySchemes } from "./repository-schemes.js";
import type { TenantSettings } from "./tenant-settings.js";
import { type EntryBefore, lockEntry, type StoredValue, unchangedEntry, writeEntry } from "./write-entry.js";

const keptVersion = {
  name: "configuration_kept_version",
  text: `select value::text as value, sealed_value, is_secret, description from configuration_versions
    where tenant_id = $1 and key = $2 and version = $3 and change <> 'Deleted'`,
};

interface KeptRow {
  value: string | null;
  sealed_value: string | null;
  is_secret: boolean;
  description: string | null;
}

/** A checked input. `text` is the value as JSON text. */
interface NewEntry {
  readonly text: string;
  readonly value: unknown;
  readonly isSecret: boolean | null;
  readonly description: string | null;
}

interface EntryChange {
  readonly arguments: unknown;
  readonly formerArguments?: readonly unknown[];
  readonly commit: (transaction: Transaction, entry: EntryBefore) => Promise<ChangedConfigEntryType>;
}

interface ChangeParts {
  readonly database: Database;
  readonly secrets: ConfigurationSecrets;
  readonly settings: TenantSettings;
  readonly schemes: RepositorySchemes;
}

/** Sets, deletes and restores the configuration entries of the caller's tenant. */
export class ConfigurationChangeService {
  readonly #database: Database;
  readonly #secrets: ConfigurationSecrets;
  readonly #settings: TenantSettings;
  readonly #schemes: RepositorySchemes;

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
    const text = checkedValue(key, input);
    this.#schemes.require(key, input.value);
    const { value, description = null, isSecret = null } = input;
    const requestWith = (digest: string) => ({
      key,
      input: { value: digest, description, isSecret },
      ...preconditions,
    });
    return this.#change(context, "setConfiguration", key, {
      // a stored request must not allow guessing a secret value
      arguments: requestWith(this.#secrets.digest(value)),
      formerArguments: this.#secrets.formerDigests(value).map(requestWith),
      commit: async (transaction, entry) => {
        requirePreconditions(preconditions, entry.version);
        const stored = this.#stored(transaction.tenant.tenantId, entry, { text, value, isSecret, description });
        if (isUnchanged(entry, stored)) return unchangedEntry(entry);
        return writeEntry(transaction, entry, { change: "Set", stored, by: principalOf(context).subject });
      },
    });
  }

  /** The default of the platform holds again. Throws NOT_FOUND. */
  delete(context: RequestContext, key: string, preconditions: Preconditions): Promise<ChangedConfigEntryType> {
    requireWritableKey(key);
    return this.#change(context, "deleteConfiguration", key, {
      arguments: { key, ...preconditions },
      commit: async (transaction, entry) => {
        if (entry.version === undefined) throw unknownEntry();
        requirePreconditions(preconditions, entry.version);
        const { isSecret, description } = entry.stored;
        const stored = { value: null, sealedValue: null, isSecret, description };
        await writeEntry(transaction, entry, { change: "Deleted", stored, by: principalOf(context).subject });
        return unchangedEntry(entry);
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
    return this.#change(context, "restoreConfiguration", key, {
      arguments: { key, version, ...preconditions },
      commit: async (transaction, entry) => {
        const stored = await this.#kept(transaction, entry, version);
        requirePreconditions(preconditions, entry.version);
        if (isUnchanged(entry, stored)) return unchangedEntry(entry);
        return writeEntry(transaction, entry, { change: "Restored", stored, by: principalOf(context).subject });
      },
    });
  }

  #change(
    context: RequestContext,
    field: string,
    key: string,
    { commit, ...request }: EntryChange,
  ): Promise<ChangedConfigEntryType> {
    requireGovernance(principalOf(context), key);
    return idempotentMutation(this.#database, context, {
      field,
      ...request,
      prepare: () => this.#requireLevel(context, key),
      commit: async (transaction) => {
        await requireTenantsOwnChange(transaction, context, key);
        const entry = await lockEntry(transaction, key);
        transaction.afterCommit(() => this.#settings.drop(transaction.tenant.tenantId));
        return commit(transaction, entry);
      },
    });
  }

  /** A person who changes a level of sign-in needs a recent sign-in of this level. Otherwise a stolen token could do it. */
  async #requireLevel(context: RequestContext, key: string): Promise<void> {
    const principal = principalOf(context);
    if (principal.principalType !== "User") return;
    const level = await this.#levelIn(tenantOf(context), key);
    if (level !== null) requireRecentSignIn(principal, level);
  }

  /** The level of sign-in that the present value of a setting asks of people; null for other settings. */
  async #levelIn(tenant: Tenant, key: string): Promise<AuthenticationLevel | null> {
    if (key === "governance.approve.acr") return this.#settings.get(tenant, key);
    const isRequired = key === "signIn.secondFactor" && (await this.#settings.get(tenant, key)) === "required";
    return isRequired ? "urn:factory:acr:second-factor" : null;
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

  /** A release may have changed the schema of a known setting since, so the value is checked again. */
  async #kept(
    { execute, tenant }: Transaction,
    { key, lastVersion }: EntryBefore,
    version: number,
  ): Promise<StoredValue> {
    const [row] = await execute<KeptRow>(keptVersion, [tenant.uuid, key, version]);
    if (!row)
      throw new DomainError("NOT_FOUND", {
        detail: "This version of the entry does not exist, or it is not kept any more. See configurationHistory.",
      });
    const { value, sealed_value: sealed, is_secret: isSecret, description } = row;
    if (value !== null) {
      requireSettingValue(key, JSON.parse(value), "/version");
      this.#schemes.require(key, JSON.parse(value), "/version");
    }
    if (sealed === null) return { value, sealedValue: null, isSecret, description };
    const owner = { tenantId: tenant.tenantId, key };
    const text = this.#secrets.open({ ...owner, version }, sealed);
    const sealedValue = this.#secrets.seal({ ...owner, version: lastVersion + 1 }, text);
    return { value, sealedValue, isSecret, description };
  }
}

/** A secret value always counts as changed: otherwise a caller could find out a secret by guessing. */
function isUnchanged({ version, stored }: EntryBefore, next: StoredValue): boolean {
  if (version === undefined || stored.isSecret || next.isSecret) return false;
  if (stored.description !== next.description || stored.value === null || next.value === null) return false;
  return fingerprint(JSON.parse(stored.value)) === fingerprint(JSON.parse(next.value));
}
