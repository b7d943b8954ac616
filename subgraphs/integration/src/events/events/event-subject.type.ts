import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { createUnionType, Field, ID, ObjectType } from "type-graphql";
import { ConnectionType } from "../../connections/connections/connection.type.js";
import { CredentialType } from "../../credentials/credentials/credential.type.js";
import { WebhookDeliveryType } from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import { ProviderType } from "../../providers/providers/provider.type.js";
import { RunType } from "../../runs/run.type.js";
import { WebhookSubscriptionType } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";

// These types have only keys, because other subgraphs own their fields.

@ObjectType("Template", { implements: NodeType, simpleResolvers: true })
@NodeKey("templateId", { resolvable: false })
export class TemplateReference {
  @Field(() => ID)
  templateId: string;
}

@ObjectType("TemplateVersion", { implements: NodeType, simpleResolvers: true })
@NodeKey("templateVersionId", { resolvable: false })
export class TemplateVersionReference {
  @Field(() => ID)
  templateVersionId: string;
}

@ObjectType("Execution", { implements: NodeType, simpleResolvers: true })
@NodeKey("executionId", { resolvable: false })
export class ExecutionReference {
  @Field(() => ID)
  executionId: string;
}

@ObjectType("Library", { implements: NodeType, simpleResolvers: true })
@NodeKey("libraryId", { resolvable: false })
export class LibraryReference {
  @Field(() => ID)
  libraryId: string;
}

@ObjectType("Tenant", { implements: NodeType, simpleResolvers: true })
@NodeKey("tenantId", { resolvable: false })
export class TenantReference {
  @Field(() => ID)
  tenantId: string;
}

@ObjectType("CompatibilityMatrix", { implements: NodeType, simpleResolvers: true })
@NodeKey("matrixId", { resolvable: false })
export class CompatibilityMatrixReference {
  @Field(() => ID)
  matrixId: string;
}

@ObjectType("DependencyScan", { implements: NodeType, simpleResolvers: true })
@NodeKey("dependencyScanId", { resolvable: false })
export class DependencyScanReference {
  @Field(() => ID)
  dependencyScanId: string;
}

@ObjectType("User", { implements: NodeType, simpleResolvers: true })
@NodeKey("userId", { resolvable: false })
export class UserReference {
  @Field(() => ID)
  userId: string;
}

@ObjectType("Invitation", { implements: NodeType, simpleResolvers: true })
@NodeKey("invitationId", { resolvable: false })
export class InvitationReference {
  @Field(() => ID)
  invitationId: string;
}

@ObjectType("Role", { implements: NodeType, simpleResolvers: true })
@NodeKey("roleId", { resolvable: false })
export class RoleReference {
  @Field(() => ID)
  roleId: string;
}

@ObjectType("OAuthClient", { implements: NodeType, simpleResolvers: true })
@NodeKey("clientId", { resolvable: false })
export class OAuthClientReference {
  @Field(() => ID)
  clientId: string;
}

@ObjectType("Approval", { implements: NodeType, simpleResolvers: true })
@NodeKey("approvalId", { resolvable: false })
export class ApprovalReference {
  @Field(() => ID)
  approvalId: string;
}

@ObjectType("PlanSubscription", { implements: NodeType, simpleResolvers: true })
@NodeKey("subscriptionId", { resolvable: false })
export class PlanSubscriptionReference {
  @Field(() => ID)
  subscriptionId: string;
}

@ObjectType("Notification", { implements: NodeType, simpleResolvers: true })
@NodeKey("notificationId", { resolvable: false })
export class NotificationReference {
  @Field(() => ID)
  notificationId: string;
}

@ObjectType("ReportRun", { implements: NodeType, simpleResolvers: true })
@NodeKey("reportRunId", { resolvable: false })
export class ReportRunReference {
  @Field(() => ID)
  reportRunId: string;
}

export const EventSubject = createUnionType({
  name: "EventSubject",
  description:
    "The object that an event is about, if its type has a key. It is null if the object no longer exists and a field other than the key is selected.",
  types: () =>
    [
      TemplateReference,
      TemplateVersionReference,
      ExecutionReference,
      LibraryReference,
      TenantReference,
      CompatibilityMatrixReference,
      DependencyScanReference,
      UserReference,
      InvitationReference,
      RoleReference,
      OAuthClientReference,
      ApprovalReference,
      PlanSubscriptionReference,
      NotificationReference,
      ReportRunReference,
      ProviderType,
      ConnectionType,
      CredentialType,
      RunType,
      WebhookDeliveryType,
      WebhookSubscriptionType,
    ] as const,
});
