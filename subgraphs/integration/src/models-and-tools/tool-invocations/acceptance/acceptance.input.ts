import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class AcceptToolDefinitionInput {
  @Field({ description: "The name that the tool server uses." })
  @Constraint({ minLength: 1, maxLength: 128 })
  toolName: string;

  @Field({ description: "The hash of the definition, as ListTools shows it." })
  @Constraint({ pattern: "^[0-9a-f]{64}$" })
  definitionHash: string;
}
