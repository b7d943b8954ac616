import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { CreateApiClientInput } from "./api-client.input.js";
import type { ApiClientService } from "./api-client.service.js";
import { ApiClientSecretType } from "./api-client.type.js";

@Resolver(() => ApiClientSecretType)
export class ApiClientResolver {
  readonly #clients: ApiClientService;

  constructor(clients: ApiClientService) {
    this.#clients = clients;
  }

  @Mutation(() => ApiClientSecretType, { description: "A client of any tenant that is Active." })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  createTenantApiClient(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input") input: CreateApiClientInput,
    @Ctx() context: RequestContext,
  ): Promise<ApiClientSecretType> {
    return this.#clients.createForTenant(context, tenantId, input);
  }

  @Mutation(() => ApiClientSecretType, { description: "A client of the caller's own tenant." })
  @Auth({ scopes: ["client.manage"] })
  createApiClient(
    @Arg("input") input: CreateApiClientInput,
    @Ctx() context: RequestContext,
  ): Promise<ApiClientSecretType> {
    return this.#clients.createOwn(context, input);
  }
}
