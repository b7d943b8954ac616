import type { Principal } from "@factory/runtime/auth/principal";
import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type AuthenticationLevel, higherLevel } from "@factory/schema/authentication-levels";
import { everybody, peopleAndServices, type Weakening } from "@factory/schema/setting-change-rules";
import type { SettingKey } from "@factory/schema/tenant-setting-values";
import { isSettingKey, settingDefault, settingGroups, tenantSettings } from "@factory/schema/tenant-settings";
import { fitsSetting } from "./configuration-value.js";

/**
 * Throws SELF_APPROVAL for an agent and PERSON_REQUIRED for a service to whom the setting is not open. A key that is
 * not a setting is open to services, and to agents outside the settings' groups. Throws INSUFFICIENT_SCOPE where the
 * setting needs a scope beside `config.manage`.
 */
export function requireMayChange({ principalType, actors = [], scopes }: Principal, key: string): void {
  const isAgent = principalType === "Agent" || actors.length > 0;
  const rule = isSettingKey(key) ? tenantSettings[key].change : undefined;
  const by = rule?.by ?? (settingGroups.has(key.split(".")[0] ?? "") ? peopleAndServices : everybody);
  if (isAgent && !by.includes("Agent"))
    throw new DomainError("SELF_APPROVAL", {
      detail: `Agents may not change ${key}. Ask a user or service of the tenant to change it.`,
    });
  if (!isAgent && !by.includes(principalType))
    throw new DomainError("PERSON_REQUIRED", { detail: `Only a user of the tenant may change ${key}.` });
  const missing = rule?.scopes.filter((scope) => !scopes.has(scope)) ?? [];
  if (missing.length > 0)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `A change of the setting ${key} needs the scope ${missing.join(" and ")}, too.`,
      requiredScopes: missing,
    });
}

/** The value that holds while the setting's entry has this JSON text; null without an entry. */
export function settingInForce(key: SettingKey, text: string | null): unknown {
  const value: unknown = text === null ? undefined : JSON.parse(text);
  return value !== undefined && fitsSetting(key, value) ? value : settingDefault(key);
}

/** The needs of the value `next` where it protects less than `present`; otherwise undefined. */
export function weakeningOf(
  key: SettingKey,
  { next, present }: { next: unknown; present: unknown },
): Weakening<unknown> | undefined {
  const weakening = tenantSettings[key].change.weakening as Weakening<unknown> | undefined;
  return weakening?.isWeaker(next, present) ? weakening : undefined;
}

/**
 * Throws unless a person asks, who signed in recently and strongly enough. A service cannot meet this rule, because a
 * person could make one to get around it.
 */
export function requirePersonToWeaken(
  principal: Principal,
  key: string,
  { weakening, approvalLevel }: { weakening: Weakening<unknown>; approvalLevel: AuthenticationLevel | null },
): void {
  if (principal.principalType !== "User")
    throw new DomainError("PERSON_REQUIRED", {
      detail: `This value of ${key} protects less than the present one, so a person has to ask for it, with a recent sign-in.`,
    });
  requireRecentSignIn(principal, higherLevel(weakening.level, approvalLevel));
}
