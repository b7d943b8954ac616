import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { RotateSigningKeysInput } from "./signing-key.input.js";
import type { SigningKeyService } from "./signing-key.service.js";
import { SigningKeyRotationType } from "./signing-key.type.js";

@Resolver(() => SigningKeyRotationType)
export class SigningKeyResolver {
  readonly #keys: SigningKeyService;

  constructor(keys: SigningKeyService) {
    this.#keys = keys;
  }

  @Mutation(() => SigningKeyRotationType, {
    description: "Replaces the key that signs tokens. Keys are also replaced automatically every 90 days.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  rotateSigningKeys(
    @Arg("input", () => RotateSigningKeysInput, { nullable: true }) input: RotateSigningKeysInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<SigningKeyRotationType> {
    return this.#keys.rotate(context, input);
  }
}
