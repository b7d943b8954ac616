import { Field, ObjectType } from "type-graphql";

@ObjectType("SigningKeyRotation")
export class SigningKeyRotationType {
  @Field({ description: "`kid` of the key that signs next." })
  keyId: string;

  @Field({ description: "Published at once, it signs from then on." })
  signsFrom: string;
}
