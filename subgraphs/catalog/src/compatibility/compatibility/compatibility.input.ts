import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";
import { LibraryReferenceInput } from "../../libraries/libraries/library-reference.input.js";

@InputType()
export class EvaluateLibraryCompatibilityInput {
  @Field({
    description:
      "Target framework moniker of the project, for example net8.0. A text, since net8.0 is not a GraphQL name.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  runtime: string;

  @Field(() => [LibraryReferenceInput], {
    description:
      "Packages that the project references itself. Their dependencies are added from the catalog. A package that is listed twice is a violation.",
  })
  @Constraint({ maxItems: 200 })
  libraries: LibraryReferenceInput[];
}

@InputType()
export class EvaluateTemplateCompatibilityInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field({
    description:
      "Target framework moniker of the project, for example net8.0. A text, since net8.0 is not a GraphQL name.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  runtime: string;

  @Field(() => [LibraryReferenceInput], {
    description:
      "Packages that the project references itself. Their dependencies are added from the catalog. A package that is listed twice is a violation.",
  })
  @Constraint({ maxItems: 200 })
  libraries: LibraryReferenceInput[];
}
