import type { Principal } from "@factory/runtime/auth/principal";
import type { Scope } from "@factory/schema/scopes";
import type { ProviderPreset } from "./provider-presets.js";
import { movesOrigin, type Targets } from "./provider-targets.js";

/** The scope for callers that may decide which hosts get the tenant's secrets. */
export const manageCredentials = "integration.credentials.write" satisfies Scope;

/**
 * The principals that chose one of a new provider's hosts and may not write credentials. The hosts in its preset are
 * nobody's.
 */
export function choosersOf(principal: Principal, preset: ProviderPreset | undefined, targets: Targets): string[] {
  const presetTargets = { baseUrl: preset?.baseUrl ?? null, driver: preset?.driver ?? {} };
  return movesOrigin(presetTargets, targets) ? withChooser([], principal) : [];
}

/** The principals that chose one of a provider's hosts, after this one has chosen one too. */
export function withChooser(choosers: readonly string[], { scopes, subject }: Principal): string[] {
  return scopes.has(manageCredentials) ? [...choosers] : [...new Set([...choosers, subject])];
}
