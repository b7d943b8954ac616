import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class CreateWebhookSubscriptionInput {
  @Field(() => ID, { nullable: true, description: "The caller's own tenant, or absent." })
  tenantId?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field({ description: "Name of a platform event that the caller may read." })
  @Constraint({ minLength: 1, maxLength: 200 })
  eventType: string;

  @Field()
  @Constraint({ maxLength: 2048, format: "uri" })
  endpointUrl: string;

  @Field({ description: "Name of a WebhookSigning credential, e.g. secret://orders; an unknown name creates one." })
  @Constraint({ pattern: credentialReferencePattern })
  signingSecretRef: string;

  @Field(() => Boolean, { nullable: true, description: "false: created Paused. Default true." })
  active?: boolean | null;

  @Field(() => String, { nullable: true, description: "application/json (default) or application/cloudevents+json." })
  @Constraint({ maxLength: 100 })
  contentType?: string | null;
}
