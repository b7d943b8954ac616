import type { UpgradeAdvice } from "../compatibility/compatibility/advice/upgrade-advice.js";
import type { UpgradeBlock } from "../compatibility/compatibility/advice/upgrade-step.js";

/** Converts upgrade advice into the gRPC method's answer, where null members are absent. */
export function upgradeAnswer({ upgrades, proposal, evaluations, complete }: UpgradeAdvice) {
  return {
    evaluations,
    complete,
    upgrades: upgrades.map(({ to, jump, notNewer, ...upgrade }) => ({
      ...upgrade,
      to: to ?? undefined,
      jump: jump ?? undefined,
      notNewer: block(notNewer),
    })),
    proposal:
      proposal === null
        ? undefined
        : {
            changes: proposal.changes,
            compatible: proposal.compatible,
            held: proposal.held.map(({ notNewer, ...heldPackage }) => ({ ...heldPackage, notNewer: block(notNewer) })),
          },
  };
}

function block(upgradeBlock: UpgradeBlock | null) {
  return upgradeBlock ? { ...upgradeBlock, packageName: upgradeBlock.packageName ?? undefined } : undefined;
}
