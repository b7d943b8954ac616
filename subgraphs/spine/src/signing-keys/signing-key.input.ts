import { Field, InputType } from "type-graphql";

@InputType()
export class RotateSigningKeysInput {
  @Field(() => Boolean, {
    nullable: true,
    description: "For a leaked key: the next key signs at once, and every token signed so far is refused.",
  })
  immediately?: boolean | null;
}
