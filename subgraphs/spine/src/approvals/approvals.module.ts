import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantSettings } from "../configuration/tenant-settings.js";
import { Approval } from "./approval.entity.js";
import { ApprovalResolver } from "./approval.resolver.js";
import { ApprovalService } from "./approval.service.js";

/** Approvals that agents need for publishing. */
export const approvals: SliceModule = {
  slice: "approvals",
  entities: [Approval],
  foreignKeys: {
    "approvals.agent_client_id": {
      to: null,
      why: "Audit: an approval is kept longer than the agent that asked for it.",
    },
  },
  events: ["ScopeApprovalRequested", "ScopeApprovalGranted", "ScopeApprovalRejected"],
  start({ database, cursors }, services) {
    services.add(new ApprovalService(database, cursors, services.get(TenantSettings)));
  },
  resolvers: (get) => [new ApprovalResolver(get(ApprovalService))],
  references(get) {
    const service = get(ApprovalService);
    return {
      Approval: {
        auth: { scopes: ["governance.read"] },
        resolve: ({ approvalId = "" }, context) => service.find(context, approvalId),
      },
    };
  },
};
