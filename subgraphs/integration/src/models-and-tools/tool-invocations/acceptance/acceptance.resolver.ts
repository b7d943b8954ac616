import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { AcceptToolDefinitionInput } from "./acceptance.input.js";
import type { AcceptanceService } from "./acceptance.service.js";
import { AcceptedToolType } from "./acceptance.type.js";

@Resolver(() => AcceptedToolType)
export class AcceptanceResolver {
  readonly #service: AcceptanceService;

  constructor(service: AcceptanceService) {
    this.#service = service;
  }

  @Mutation(() => AcceptedToolType, {
    description:
      "Accepts the definition of a tool that its server has changed, so that the tool may be invoked again. Agents may not.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  acceptToolDefinition(
    @Arg("connectionId", () => ID) connectionId: string,
    @Arg("input") input: AcceptToolDefinitionInput,
    @Ctx() context: RequestContext,
  ): Promise<AcceptedToolType> {
    return this.#service.accept(context, connectionId, input);
  }
}
