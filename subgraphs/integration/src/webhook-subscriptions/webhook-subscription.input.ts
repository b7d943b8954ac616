import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class CreateWebhookSubscriptionInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound sends events to endpointUrl. Inbound verifies deliveries of a provider with the named secret. The default is Outbound.",
  })
  @Constraint({ maxLength: 100 })
  direction?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Inbound only, and required there: the provider whose deliveries the secret verifies.",
  })
  providerId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only, and required there: the name of an event type that the caller may read.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  eventType?: string | null;

  @Field(() => String, { nullable: true, description: "Outbound only, and required there." })
  @Constraint({ maxLength: 2048, format: "uri" })
  endpointUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of a credential of the kind WebhookSigning, for example secret://orders. A new name creates the credential. Required, except for an Inbound subscription of a provider whose deliveries have a JWS.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  signingSecretRef?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With false the subscription is created Paused. The default is true.",
  })
  active?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "application/json or application/cloudevents+json. The default is application/json.",
  })
  @Constraint({ maxLength: 100 })
  contentType?: string | null;
}
