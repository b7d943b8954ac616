import { createUnionType, Directive, Field, ID, ObjectType } from "type-graphql";
import { ConnectionType } from "../../connections/connections/connection.type.js";
import { CredentialType } from "../../credentials/credentials/credential.type.js";
import { WebhookDeliveryType } from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import { ProviderType } from "../../providers/providers/provider.type.js";
import { RunType } from "../../runs/run.type.js";
import { WebhookSubscriptionType } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";

// These types have only keys, because other subgraphs own their fields.

@ObjectType("Template", { simpleResolvers: true })
@Directive('@key(fields: "templateId", resolvable: false)')
export class TemplateReference {
  @Field(() => ID)
  templateId: string;
}

@ObjectType("TemplateVersion", { simpleResolvers: true })
@Directive('@key(fields: "templateVersionId", resolvable: false)')
export class TemplateVersionReference {
  @Field(() => ID)
  templateVersionId: string;
}

@ObjectType("Execution", { simpleResolvers: true })
@Directive('@key(fields: "executionId", resolvable: false)')
export class ExecutionReference {
  @Field(() => ID)
  executionId: string;
}

@ObjectType("Library", { simpleResolvers: true })
@Directive('@key(fields: "libraryId", resolvable: false)')
export class LibraryReference {
  @Field(() => ID)
  libraryId: string;
}

@ObjectType("Tenant", { simpleResolvers: true })
@Directive('@key(fields: "tenantId", resolvable: false)')
export class TenantReference {
  @Field(() => ID)
  tenantId: string;
}

@ObjectType("CompatibilityMatrix", { simpleResolvers: true })
@Directive('@key(fields: "matrixId", resolvable: false)')
export class CompatibilityMatrixReference {
  @Field(() => ID)
  matrixId: string;
}

@ObjectType("DependencyScan", { simpleResolvers: true })
@Directive('@key(fields: "dependencyScanId", resolvable: false)')
export class DependencyScanReference {
  @Field(() => ID)
  dependencyScanId: string;
}

@ObjectType("User", { simpleResolvers: true })
@Directive('@key(fields: "userId", resolvable: false)')
export class UserReference {
  @Field(() => ID)
  userId: string;
}

@ObjectType("Invitation", { simpleResolvers: true })
@Directive('@key(fields: "invitationId", resolvable: false)')
export class InvitationReference {
  @Field(() => ID)
  invitationId: string;
}

@ObjectType("Role", { simpleResolvers: true })
@Directive('@key(fields: "roleId", resolvable: false)')
export class RoleReference {
  @Field(() => ID)
  roleId: string;
}

@ObjectType("OAuthClient", { simpleResolvers: true })
@Directive('@key(fields: "clientId", resolvable: false)')
export class OAuthClientReference {
  @Field(() => ID)
  clientId: string;
}

@ObjectType("Approval", { simpleResolvers: true })
@Directive('@key(fields: "approvalId", resolvable: false)')
export class ApprovalReference {
  @Field(() => ID)
  approvalId: string;
}

@ObjectType("PlanSubscription", { simpleResolvers: true })
@Directive('@key(fields: "subscriptionId", resolvable: false)')
export class PlanSubscriptionReference {
  @Field(() => ID)
  subscriptionId: string;
}

@ObjectType("Notification", { simpleResolvers: true })
@Directive('@key(fields: "notificationId", resolvable: false)')
export class NotificationReference {
  @Field(() => ID)
  notificationId: string;
}

@ObjectType("ReportRun", { simpleResolvers: true })
@Directive('@key(fields: "reportRunId", resolvable: false)')
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
