import { CommandRefusals } from "@factory/runtime/commands/command-refusals";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { InvitationService } from "../people/invitations/invitation.service.js";
import { PlanSubscriptionService } from "../plans/plan-subscriptions/plan-subscription.service.js";
import { ReportRunService } from "../reports/reports/runs/report-run.service.js";
import { ProvisioningService } from "../tenants/tenants/provisioning.service.js";
import { CommandService } from "./command.service.js";
import { recordRefusal } from "./record-refusal.js";

/** The bus commands that the spine carries out. */
export const commands: SliceModule = {
  slice: "commands",
  events: ["CommandDeclined"],
  start({ database, logger, consume }, services) {
    consume(
      new CommandService({
        provisioning: services.get(ProvisioningService),
        reports: services.get(ReportRunService),
        invitations: services.get(InvitationService),
        plans: services.get(PlanSubscriptionService),
        refusals: new CommandRefusals(database, logger, recordRefusal),
      }),
    );
  },
};
