import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateApiClientInput, UpdateApiClientInput } from "./oauth-client.input.js";
import type { OAuthClientService } from "./oauth-client.service.js";
import { OAuthClientConnection, OAuthClientSecretType, OAuthClientType } from "./oauth-client.type.js";
import { type OAuthClientAdministrationService, sortedOAuthClients } from "./oauth-client-administration.service.js";

@Resolver(() => OAuthClientType)
export class OAuthClientResolver {
  readonly #clients: OAuthClientService;
  readonly #administration: OAuthClientAdministrationService;

  constructor(clients: OAuthClientService, administration: OAuthClientAdministrationService) {
    this.#clients = clients;
    this.#administration = administration;
  }

  @Query(() => OAuthClientConnection, { description: "The OAuth clients of the caller's own tenant." })
  @Auth({ scopes: ["client.read"] })
  apiClients(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedOAuthClients) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientConnection> {
    return this.#administration.list(context, { ...page, sort });
  }

  @Mutation(() => OAuthClientSecretType, {
    description:
      "Creates an OAuth client in any tenant that is Active. It is marked as createdByPlatform and the owners are notified. A tenant with an owner may refuse it by the setting governance.allowPlatformClients.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  createTenantApiClient(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input") input: CreateApiClientInput,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientSecretType> {
    return this.#clients.createForTenant(context, tenantId, input);
  }

  @Mutation(() => OAuthClientSecretType, { description: "Creates an OAuth client in the caller's own tenant." })
  @Auth({ scopes: ["client.manage"] })
  createApiClient(
    @Arg("input") input: CreateApiClientInput,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientSecretType> {
    return this.#clients.createOwn(context, input);
  }

  @Mutation(() => OAuthClientType, {
    description:
      "Disables the client and revokes its tokens. The caller must hold every scope of the client; an owner disables any client that the platform made.",
  })
  @Auth({ scopes: ["client.manage"] })
  disableApiClient(
    @Arg("clientId", () => ID) clientId: string,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientType> {
    return this.#administration.disable(context, clientId);
  }

  @Mutation(() => OAuthClientType, {
    description:
      "Enables a disabled client. The caller must hold every scope of the client. Once the tenant has an owner, no client that the platform holds enables one that the platform made.",
  })
  @Auth({ scopes: ["client.manage"] })
  enableApiClient(
    @Arg("clientId", () => ID) clientId: string,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientType> {
    return this.#administration.enable(context, clientId);
  }

  @Mutation(() => OAuthClientType, {
    description:
      "Changes the name, the redirect URIs or the keys of a client. The caller must hold every scope of the client. After a change of the redirect URIs, users are asked for consent again. A change of the keys by another person revokes all earlier tokens, and users are asked for consent again.",
  })
  @Auth({ scopes: ["client.manage"] })
  updateApiClient(
    @Arg("clientId", () => ID) clientId: string,
    @Arg("input") input: UpdateApiClientInput,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientType> {
    return this.#administration.update(context, clientId, input);
  }

  @Mutation(() => OAuthClientSecretType, {
    description:
      "Replaces the secret of a client; the old secret is refused at once. The caller must hold every scope of the client. If another principal knew the old secret, all earlier tokens are revoked, and users are asked for consent again.",
  })
  @Auth({ scopes: ["client.manage"] })
  rotateApiClientSecret(
    @Arg("clientId", () => ID) clientId: string,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientSecretType> {
    return this.#administration.rotateSecret(context, clientId);
  }

  @Mutation(() => [OAuthClientType], {
    description:
      "Disables the Active clients whose secret only this user knows, and returns them. The user and the owners of the tenant need no scope of these clients; others need all of them.",
  })
  @Auth({ scopes: ["client.manage"] })
  disableUserApiClients(
    @Arg("userId", () => ID) userId: string,
    @Ctx() context: RequestContext,
  ): Promise<OAuthClientType[]> {
    return this.#administration.disableHeldBy(context, userId);
  }
}
