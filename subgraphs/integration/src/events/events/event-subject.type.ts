import { foreignEntity } from "@factory/runtime/graphql/foreign-entity";
import { createUnionType } from "type-graphql";
import { ConnectionType } from "../../connections/connections/connection.type.js";
import { CredentialType } from "../../credentials/credentials/credential.type.js";
import { WebhookDeliveryType } from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import { ProviderType } from "../../providers/providers/provider.type.js";
import { RunType } from "../../runs/run.type.js";
import { WebhookSubscriptionType } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";

/** Other subgraphs' types with the fields that hold their ids, by the resource in a subject's path or by the id's prefix. */
export const foreignSubjects = {
  tpl: ["Template", "templateId"],
  tpv: ["TemplateVersion", "templateVersionId"],
  exe: ["Execution", "executionId"],
  lib: ["Library", "libraryId"],
  mtx: ["CompatibilityMatrix", "matrixId"],
  scn: ["DependencyScan", "dependencyScanId"],
  ten: ["Tenant", "tenantId"],
  usr: ["User", "userId"],
  inv: ["Invitation", "invitationId"],
  rol: ["Role", "roleId"],
  cli: ["ApiClient", "clientId"],
  apr: ["Approval", "approvalId"],
  sub: ["PlanSubscription", "subscriptionId"],
  ntf: ["Notification", "notificationId"],
  // runs in the spine have ids with the prefix of our own runs
  "report-runs": ["ReportRun", "reportRunId"],
} as const;

const foreignEntities = Object.values(foreignSubjects).map(([type, key]) => foreignEntity(type, key));

export const EventSubject = createUnionType({
  name: "EventSubject",
  description:
    "The object that an event is about, if its type has a key. It is null if the object no longer exists and a field other than the key is selected.",
  types: () =>
    [
      ...foreignEntities,
      ProviderType,
      ConnectionType,
      CredentialType,
      RunType,
      WebhookDeliveryType,
      WebhookSubscriptionType,
    ] as const,
  resolveType: (subject) => (subject as { __typename: string }).__typename,
});
