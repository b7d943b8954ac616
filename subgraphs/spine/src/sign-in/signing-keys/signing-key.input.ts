import { Field, InputType } from "type-graphql";

@InputType()
export class RotateSigningKeysInput {
  @Field(() => Boolean, {
    nullable: true,
    description:
      "Set it to true for a leaked key. The next key then signs at once, and every token that was signed before is refused.",
  })
  immediately?: boolean | null;
}
