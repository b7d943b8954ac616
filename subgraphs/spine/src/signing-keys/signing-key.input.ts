import { Field, InputType } from "type-graphql";

@InputType()
export class RotateSigningKeysInput {
  @Field(() => Boolean, {
    nullable: true,
    description: "For a key that leaked: the next one signs now, and every token signed so far is refused.",
  })
  immediately?: boolean | null;
}
