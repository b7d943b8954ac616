import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RequestExecutionInput } from "./execution.input.js";
import type { ExecutionService } from "./execution.service.js";
import { ExecutionType } from "./execution.type.js";

@Resolver(() => ExecutionType)
export class ExecutionResolver {
  readonly #executions: ExecutionService;

  constructor(executions: ExecutionService) {
    this.#executions = executions;
  }

  @Query(() => ExecutionType)
  @Auth({ scopes: ["templates.read", "templates.execute"] })
  execution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.get(context, templateId, executionId);
  }

  @Mutation(() => ExecutionType)
  @Auth({ scopes: ["templates.execute"] })
  requestExecution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: RequestExecutionInput,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.request(context, templateId, input);
  }
}
