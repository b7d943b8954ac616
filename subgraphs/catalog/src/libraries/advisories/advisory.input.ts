import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class ImportAdvisoriesInput {
  @Field(() => [JsonObject], {
    description:
      "Documents in the format of OSV, each with one advisory. Packages of other ecosystems than NuGet are ignored.",
  })
  @Constraint({ minItems: 1, maxItems: 100 })
  documents: Record<string, unknown>[];
}

@InputType()
export class DeleteAdvisoriesInput {
  @Field(() => [ID], { description: "Ids that their databases gave them. Unknown ones are left out." })
  @Constraint({ minItems: 1, maxItems: 100, minLength: 1, maxLength: 100 })
  advisoryIds: string[];
}
