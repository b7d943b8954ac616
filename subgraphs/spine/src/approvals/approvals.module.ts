import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PermissionLossHandlers } from "../rights/access-control/permission-loss.js";
import { ConfigurationChangeService } from "../settings/configuration/configuration-change.service.js";
import { TenantSettings } from "../settings/configuration/tenant-settings.js";
import { Approval } from "./approval.entity.js";
import { ApprovalResolver } from "./approval.resolver.js";
import { ApprovalService } from "./approval.service.js";
import { expireSettingChange, expireSettingChangeJob, undecidedSettingChanges } from "./expire-setting-change.js";
import { UserConfirmation } from "./four-eyes-rule/user-confirmation.js";
import { UserConfirmationResolver } from "./four-eyes-rule/user-confirmation.resolver.js";
import { SettingProposals } from "./setting-proposals.js";
import { withdrawUnauthorizedChanges } from "./withdraw-unauthorized-changes.js";

/** Approvals for publishing, and for weaker values of protected settings. */
export const approvals: SliceModule = {
  slice: "approvals",
  entities: [Approval],
  foreignKeys: {
    "approvals.agent_client_id": {
      to: null,
      why: "Audit: an approval is kept longer than the agent that asked for it.",
    },
  },
  jobs: [expireSettingChangeJob],
  waitingRows: [undecidedSettingChanges],
  events: [
    "ScopeApprovalRequested",
    "ScopeApprovalGranted",
    "ScopeApprovalRejected",
    "SettingChangeRequested",
    "SettingChangeApproved",
    "SettingChangeRejected",
    "SettingChangeWithdrawn",
    "SettingChangeExpired",
    "UserConfirmed",
  ],
  start({ database, cursors, jobs, work }, services) {
    const settings = services.get(TenantSettings);
    const proposals = new SettingProposals(jobs);
    services.get(ConfigurationChangeService).useApprovals(proposals);
    services.add(new ApprovalService({ database, cursors, settings, proposals }));
    services.add(new UserConfirmation(database, settings));
    services.get(PermissionLossHandlers).add(withdrawUnauthorizedChanges);
    work(expireSettingChangeJob, (payload) => expireSettingChange(database, payload), maintenance);
  },
  resolvers: (get) => [new ApprovalResolver(get(ApprovalService)), new UserConfirmationResolver(get(UserConfirmation))],
  links: {
    "Approval.agentClientId": { to: "ApiClient" },
    "UserConfirmation.userId": { to: "User" },
  },
  references(get) {
    const service = get(ApprovalService);
    return {
      Approval: {
        id: { prefix: "apr", field: "approvalId" },
        auth: { scopes: ["governance.read"] },
        resolve: ({ approvalId = "" }, context) => service.find(context, approvalId),
      },
    };
  },
};
