import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";

/** Throws SELF_APPROVAL for an agent, and for a token with which an agent acts for somebody. */
export function refuseAgents({ principalType, actors = [] }: Principal, detail: string): void {
  if (principalType === "Agent" || actors.length > 0) throw new DomainError("SELF_APPROVAL", { detail });
}

/** Whether one of the provider's capabilities makes it a tool server. */
export const hasTools = (capabilities: readonly string[]): boolean =>
  capabilities.some((capability) => capability.startsWith("tools."));
