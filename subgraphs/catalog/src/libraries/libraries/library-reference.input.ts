import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

/** A package version, in library lists. */
@InputType({ description: "One version of a package." })
export class LibraryReferenceInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  packageName: string;

  @Field({ description: "A NuGet version, for example 1.2.3 or 1.2.3.4-beta.1." })
  @Constraint({ minLength: 1, maxLength: 100 })
  version: string;
}
