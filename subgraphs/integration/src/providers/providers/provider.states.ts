import type { ProviderStatus } from "@factory/schema/vocabularies/providers";
/** The states that a provider can have. Deprecated and Disabled can be reversed; Retired cannot. */
export const providerStates = {
  Registered: { next: ["Deprecated", "Disabled"] },
  Deprecated: { next: ["Registered", "Disabled", "Retired"] },
  Disabled: { next: ["Registered", "Retired"] },
  Retired: { next: [] },
} as const satisfies Record<ProviderStatus, object>;

export type ProviderState = ProviderStatus;

/** The states from which a provider may change to this one. */
export function statesBefore(state: ProviderState): ProviderState[] {
  const states = Object.keys(providerStates) as ProviderState[];
  return states.filter((from) => providerStates[from].next.some((next) => next === state));
}
