import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { CredentialType } from "../credentials/credential.type.js";
import type { CredentialRevocationService } from "./credential-revocation.service.js";
import { RevokeCredentialInput } from "./credential-rotation.input.js";

@Resolver(() => CredentialType)
export class CredentialRotationResolver {
  readonly #revocation: CredentialRevocationService;

  constructor(revocation: CredentialRevocationService) {
    this.#revocation = revocation;
  }

  @Mutation(() => CredentialType, {
    description:
      "Revokes a credential for ever: nothing can use it any more, and the secrets of all its versions are destroyed.",
  })
  @Auth({ scopes: ["integration.credentials.write"] })
  revokeCredential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Arg("input", () => RevokeCredentialInput, { nullable: true }) input: RevokeCredentialInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#revocation.revoke(context, credentialId, input?.reason ?? null);
  }
}
