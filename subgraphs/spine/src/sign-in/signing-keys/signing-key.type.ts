import { Field, ObjectType } from "type-graphql";

@ObjectType("SigningKeyRotation")
export class SigningKeyRotationType {
  @Field({ description: "The `kid` of the key that signs next." })
  keyId: string;

  @Field({ description: "The time at which the key begins to sign tokens. The key is published at once." })
  signsFrom: string;
}
