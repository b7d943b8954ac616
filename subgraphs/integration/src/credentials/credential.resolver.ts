import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateCredentialInput } from "./credential.input.js";
import type { CredentialService } from "./credential.service.js";
import { CredentialType, readCredentials } from "./credential.type.js";

@Resolver(() => CredentialType)
export class CredentialResolver {
  readonly #credentials: CredentialService;

  constructor(credentials: CredentialService) {
    this.#credentials = credentials;
  }

  @Query(() => CredentialType)
  @Auth(readCredentials)
  credential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#credentials.get(context, credentialId);
  }

  @Mutation(() => CredentialType, {
    description: "Stores a secret under a name that is unique in the tenant. The API never returns the secret.",
  })
  @Auth({ scopes: ["integration.credentials.write"] })
  createCredential(
    @Arg("input") input: CreateCredentialInput,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#credentials.create(context, input);
  }
}
