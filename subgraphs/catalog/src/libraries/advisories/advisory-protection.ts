import { setImmediate as nextTurn } from "node:timers/promises";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { severityRank } from "./advisory-severity.js";
import { covers } from "./affected-versions.js";
import type { ReadAdvisory } from "./osv-document.js";

/** The facts of an advisory that decide which versions may not be published. */
type AdvisoryEffect = Pick<ReadAdvisory, "severity" | "withdrawnAt" | "packages">;

const approvalScope = "governance.approve";

/**
 * Whether the caller may weaken advisories while `governance.publish.scanSeverity` is set. The same principals may change
 * the setting.
 */
export function mayWeaken(principal: Principal): boolean {
  return !isAgent(principal) && principal.scopes.has(approvalScope);
}

/** Throws SELF_APPROVAL and INSUFFICIENT_SCOPE. */
export function requireMayWeaken(principal: Principal): void {
  const rule = "While governance.publish.scanSeverity is set, advisories decide about publishing.";
  if (isAgent(principal))
    throw new DomainError("SELF_APPROVAL", { detail: `${rule} An agent cannot delete them. Ask a person to do it.` });
  if (!principal.scopes.has(approvalScope))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `${rule} Deleting them needs the scope ${approvalScope}, too. Ask for a token with it.`,
      requiredScopes: [approvalScope],
    });
}

/**
 * Whether `next` is withdrawn, has a lower severity, or affects fewer packages or versions than `present`. Other requests
 * run between two packages.
 */
export async function isWeaker(next: AdvisoryEffect, present: AdvisoryEffect): Promise<boolean> {
  if (present.withdrawnAt !== null || present.packages.length === 0) return false;
  if (next.withdrawnAt !== null) return true;
  const packages = new Map(
    next.packages.map((affectedPackage) => [affectedPackage.packageName.toLowerCase(), affectedPackage]),
  );
  for (const before of present.packages) {
    const after = packages.get(before.packageName.toLowerCase());
    if (after === undefined) return true;
    if (severityRank(after.severity ?? next.severity) < severityRank(before.severity ?? present.severity)) return true;
    if (!covers(after.affected, before.affected)) return true;
    await nextTurn();
  }
  return false;
}

/** An agent also acts with a token that names it as the actor for a person. */
function isAgent({ principalType, actors = [] }: Principal): boolean {
  return principalType === "Agent" || actors.length > 0;
}
