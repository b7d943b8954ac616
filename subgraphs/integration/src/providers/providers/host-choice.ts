import type { Principal } from "@factory/runtime/auth/principal";
import type { Scope } from "@factory/schema/scopes";
import type { ProviderPreset } from "./provider-presets.js";
import { movesOrigin, type Targets } from "./provider-targets.js";

/** The scope of callers that may decide which hosts get the secrets of the tenant. */
export const manageCredentials = "integration.credentials.write" satisfies Scope;

/** The principals that chose a host of a new provider and may not write credentials. The hosts of its preset are nobody's. */
export function choosersOf(principal: Principal, preset: ProviderPreset | undefined, own: Targets): string[] {
  const known = { baseUrl: preset?.baseUrl ?? null, driver: preset?.driver ?? {} };
  return movesOrigin(known, own) ? withChooser([], principal) : [];
}

/** The principals that chose a host of a provider, after this one has chosen one too. */
export function withChooser(known: readonly string[], { scopes, subject }: Principal): string[] {
  return scopes.has(manageCredentials) ? [...known] : [...new Set([...known, subject])];
}
