import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { ExecutionService } from "./execution.service.js";
import type { ExecutionPreviewService } from "./preview/execution-preview.service.js";
import { ExecutionPreviewType } from "./preview/execution-preview.type.js";
import { ExecutionType } from "./record/execution.type.js";
import { RequestExecutionInput, RetryExecutionInput } from "./request/execution.input.js";

@Resolver(() => ExecutionType)
export class ExecutionResolver {
  readonly #executions: ExecutionService;
  readonly #previews: ExecutionPreviewService;

  constructor(executions: ExecutionService, previews: ExecutionPreviewService) {
    this.#executions = executions;
    this.#previews = previews;
  }

  @Query(() => ExecutionType, { description: "How far an execution has come, and what came of it." })
  @Auth({ scopes: ["templates.read", "templates.execute"] })
  execution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.get(context, templateId, executionId);
  }

  @Query(() => ExecutionPreviewType)
  @Auth({ scopes: ["templates.execute"] })
  previewExecution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: RequestExecutionInput,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionPreviewType> {
    return this.#previews.preview(context, templateId, input);
  }

  @Mutation(() => ExecutionType, {
    description:
      "Accepts an execution and answers before it runs: it renders the template and pushes the result to the target.",
  })
  @Auth({ scopes: ["templates.execute"] })
  requestExecution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: RequestExecutionInput,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.request(context, templateId, input);
  }

  @Mutation(() => ExecutionType, {
    description: "Stops an execution that has not begun to push its commit; INVALID_STATE afterwards.",
  })
  @Auth({ scopes: ["templates.execute"] })
  cancelExecution(
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.cancel(context, executionId);
  }

  @Mutation(() => ExecutionType, {
    description: "Requests again what a failed or cancelled execution was asked for, as a new execution.",
  })
  @Auth({ scopes: ["templates.execute"] })
  retryExecution(
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
    @Arg("input", { nullable: true }) input?: RetryExecutionInput,
  ): Promise<ExecutionType> {
    return this.#executions.retry(context, executionId, input ?? {});
  }
}
