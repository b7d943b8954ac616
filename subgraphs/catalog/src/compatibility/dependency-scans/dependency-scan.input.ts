import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";
import { LibraryReferenceInput } from "../../libraries/libraries/library-reference.input.js";

@InputType({ description: "Either a template version, or a runtime with a set of libraries." })
export class ScanDependenciesInput {
  @Field(() => ID, { nullable: true })
  templateVersionId?: string | null;

  @Field(() => String, { nullable: true, description: "The target framework of the set, for example net10.0." })
  @Constraint({ minLength: 1, maxLength: 100 })
  runtime?: string | null;

  @Field(() => [LibraryReferenceInput], {
    nullable: true,
    description:
      "Packages that a project references itself. Their dependencies are added from the catalog. The set needs `runtime` too.",
  })
  @Constraint({ minItems: 1, maxItems: 200 })
  libraries?: LibraryReferenceInput[] | null;
}
