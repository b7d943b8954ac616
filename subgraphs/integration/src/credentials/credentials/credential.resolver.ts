import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { CreateCredentialInput, CredentialFilterInput } from "./credential.input.js";
import type { CredentialService } from "./credential.service.js";
import { CredentialConnection, CredentialType, readCredentials } from "./credential.type.js";
import { type CredentialListService, sortedCredentials } from "./credential-list.service.js";
import { CredentialVersionType } from "./credential-version.type.js";

@Resolver(() => CredentialType)
export class CredentialResolver {
  readonly #credentials: CredentialService;
  readonly #lists: CredentialListService;

  constructor(credentials: CredentialService, lists: CredentialListService) {
    this.#credentials = credentials;
    this.#lists = lists;
  }

  @Query(() => CredentialType, { description: "A credential of the tenant, without its secret." })
  @Auth(readCredentials)
  credential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#credentials.get(context, credentialId);
  }

  @Query(() => CredentialConnection, { description: "The credentials of the tenant, without their secrets." })
  @Auth(readCredentials)
  credentials(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedCredentials) sort: string | null | undefined,
    @Arg("filter", () => CredentialFilterInput, { nullable: true }) filter: CredentialFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<CredentialConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @FieldResolver(() => [CredentialVersionType], { description: "The newest 50 versions, the newest first." })
  @Auth(readCredentials)
  versions(@Root() { credentialId }: CredentialType, @Ctx() context: RequestContext): Promise<CredentialVersionType[]> {
    return this.#lists.versions(context, credentialId);
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
