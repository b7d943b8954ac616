import type { Principal } from "@factory/runtime/auth/principal";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import type { ConfigurationChange } from "./configuration.type.js";
import { requireSettingValue } from "./configuration-value.js";
import type { TenantSettings } from "./tenant-settings.js";
import { lockEntry, type StoredValue, writeEntry } from "./write-entry.js";

/** A weaker value for a protected setting, as it waits for another person. */
export interface ProposedSetting {
  readonly key: string;
  readonly change: ConfigurationChange;
  /** The entry had this version when the person asked; 0 without an entry. The change applies to this version only. */
  readonly entryVersion: number;
  /** The value that was in force then. */
  readonly oldValue: unknown;
  /** For a deletion: the default. */
  readonly newValue: unknown;
  readonly description: string | null;
}

/** A principal's request for a weaker value. */
export interface SettingRequest {
  readonly principal: Principal;
  readonly proposed: ProposedSetting;
  /** A person decides with a sign-in at this level or a higher one. */
  readonly requiredAcr: AuthenticationLevel | null;
}

/** Keeps proposed settings until they are decided. A slice below this one provides it. */
export interface SettingApprovals {
  /** The ID of the approval that waits. The same request is stored once. The caller has locked the configuration. */
  request(transaction: Transaction, request: SettingRequest): Promise<string>;
  /** Ends all proposals for the key, which has changed in this transaction. */
  end(transaction: Transaction, key: string): Promise<void>;
}

/**
 * Makes the proposed value the current one, in the name of the principal that asked for it. False: the entry has
 * changed since, and nothing is written. Throws CONFIGURATION_INVALID where a release has changed the setting's schema.
 */
export async function applyProposedSetting(
  transaction: Transaction,
  settings: TenantSettings,
  { proposed, by }: { proposed: ProposedSetting; by: string },
): Promise<boolean> {
  const { key, change, entryVersion, newValue, description } = proposed;
  const entry = await lockEntry(transaction, key);
  if (entry.lastVersion !== entryVersion) return false;
  const isDeletion = change === "Deleted";
  if (!isDeletion) requireSettingValue(key, newValue);
  const storedValue: StoredValue = isDeletion
    ? { value: null, sealedValue: null, isSecret: false, description: entry.stored.description }
    : { value: JSON.stringify(newValue), sealedValue: null, isSecret: false, description };
  transaction.afterCommit(() => settings.drop(transaction.tenant.tenantId));
  await writeEntry(transaction, entry, { change, stored: storedValue, by });
  return true;
}
