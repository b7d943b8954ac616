import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { ExecutionService } from "./execution.service.js";
import type { ExecutionPreviewService } from "./preview/execution-preview.service.js";
import { ExecutionPreviewType } from "./preview/execution-preview.type.js";
import { ExecutionType } from "./record/execution.type.js";
import { RequestExecutionInput, RetryExecutionInput } from "./request/execution.input.js";

/** The operations that request, read, preview, cancel and retry one execution. */
@Resolver(() => ExecutionType)
export class ExecutionResolver {
  readonly #executions: ExecutionService;
  readonly #previews: ExecutionPreviewService;

  constructor(executions: ExecutionService, previews: ExecutionPreviewService) {
    this.#executions = executions;
    this.#previews = previews;
  }

  @Query(() => ExecutionType, { description: "One execution: its state and its result." })
  @Auth({ scopes: ["templates.read", "templates.execute"] })
  execution(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.get(context, templateId, executionId);
  }

  @Query(() => ExecutionPreviewType, {
    description:
      "The changes that an execution would make. With the scope templates.write it also takes a Draft in a tenant that executes published versions only (execution.requirePublished).",
  })
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
      "Accepts an execution and answers before it runs. The execution renders the template and pushes the result to the target.",
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
    description: "Stops an execution that has not begun to push its commit. Afterwards the answer is INVALID_STATE.",
  })
  @Auth({ scopes: ["templates.execute"] })
  cancelExecution(
    @Arg("executionId", () => ID) executionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionType> {
    return this.#executions.cancel(context, executionId);
  }

  @Mutation(() => ExecutionType, {
    description: "Creates a new execution with the request of a failed or cancelled one.",
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
