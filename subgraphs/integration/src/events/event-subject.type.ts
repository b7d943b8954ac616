import { createUnionType, Directive, Field, ID, ObjectType } from "type-graphql";
import { CredentialType } from "../credentials/credential.type.js";
import { ProviderType } from "../providers/provider.type.js";
import { WebhookSubscriptionType } from "../webhook-subscriptions/webhook-subscription.type.js";

// Keys only: the other subgraphs own the fields.

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

export const EventSubject = createUnionType({
  name: "EventSubject",
  description: "What an event is about, where that is a keyed type.",
  types: () =>
    [
      TemplateReference,
      TemplateVersionReference,
      ExecutionReference,
      LibraryReference,
      TenantReference,
      ProviderType,
      CredentialType,
      WebhookSubscriptionType,
    ] as const,
});
