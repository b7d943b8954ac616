import { Field, ObjectType } from "type-graphql";

@ObjectType("SigningKeyRotation")
export class SigningKeyRotationType {
  @Field({ description: "The `kid` of the key that signs next." })
  keyId: string;

  @Field({ description: "From when on the key signs. It is published at once." })
  signsFrom: string;
}
