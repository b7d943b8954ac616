import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType, Int } from "type-graphql";
import { CatalogItemKinds } from "./catalog-search.type.js";

@InputType()
export class SearchCatalogInput {
  @Field({
    description:
      "At most eight words. A result has each of them, or, from two letters on, a word that begins with it, in its name, title, description, tags or capabilities. Where nothing matches, words of the other texts than the description count with one typing error, too.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  text: string;

  @Field(() => [CatalogItemKinds], {
    nullable: true,
    description: "Defaults to the kinds that the scopes of the token allow to read.",
  })
  @Constraint({ minItems: 1, maxItems: 2 })
  kinds?: (keyof typeof CatalogItemKinds)[] | null;

  @Field(() => Int, { nullable: true, description: "Defaults to 20. A limit above 100 is read as 100." })
  @Constraint({ minimum: 1 })
  limit?: number | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 1000 })
  cursor?: string | null;
}
