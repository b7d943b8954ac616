import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CompatibilityService } from "../../../compatibility/compatibility/compatibility.service.js";
import type { Violation } from "../../../compatibility/compatibility/evaluate-set.js";
import { checkLibraries } from "../../../libraries/libraries/library-reference.js";
import type { AcceptedTarget, TargetResolver } from "../../../targets/targets/target-resolver.js";
import type { ParameterChecker } from "../../../templates/parameters/parameter-checker.js";
import type { TemplateVersionService } from "../../../templates/templates/template-version.service.js";
import type { TemplateVersionType } from "../../../templates/templates/template-version.type.js";
import { Execution } from "../record/execution.entity.js";
import type { ExecutionType, ExecutionWarningType } from "../record/execution.type.js";
import { executionView } from "../record/execution.view.js";
import { ExecutionChange } from "../record/execution-change.entity.js";
import { executionJob } from "../record/execution-job.js";
import { checkedParameters } from "./checked-parameters.js";
import type { PullRequestInput, RequestExecutionInput } from "./execution.input.js";
import { outdated, requireCompatible, requirePublished } from "./request-policy.js";

interface AcceptanceServices {
  readonly jobs: JobQueue;
  readonly versions: TemplateVersionService;
  readonly compatibility: CompatibilityService;
  readonly targets: TargetResolver;
  readonly parameterChecker: ParameterChecker;
  readonly facts: TenantFacts;
}

/** A request for an execution. */
interface ExecutionRequest {
  readonly templateId: string;
  readonly input: RequestExecutionInput;
  readonly retryOf?: string;
}

/** A checked request with the ID that its execution gets. */
interface CountedRequest extends CheckedRequest {
  readonly executionId: string;
}

/** A request that has passed its checks. */
export interface CheckedRequest extends ExecutionRequest {
  readonly version: TemplateVersionType;
  readonly target: AcceptedTarget;
  /** With the schema's defaults. */
  readonly parameters: Record<string, unknown>;
  readonly warnings: ExecutionWarningType[];
  readonly agentTaskId: string | null;
  /** How many of the tenant's executions may run at the same time. */
  readonly runningLimit: number;
}

/** Checks a request at once as far as possible. An accepted request becomes a row and a job. */
export class ExecutionAcceptance {
  readonly #services: AcceptanceServices;

  constructor(services: AcceptanceServices) {
    this.#services = services;
  }

  /**
   * Checks version, target, parameters, libraries and agent task, with the tenant's settings. Throws the error of the
   * first failed check. With `allowsDrafts` a Draft passes whatever the settings say.
   */
  async check(
    context: RequestContext,
    request: ExecutionRequest,
    { allowsDrafts = false }: { readonly allowsDrafts?: boolean } = {},
  ): Promise<CheckedRequest> {
    const { versions, targets, parameterChecker, facts } = this.#services;
    const { templateId, input } = request;
    const agentTaskId = agentTask(context, input);
    const settings = await facts.of(tenantOf(context).tenantId);
    const version = await versions.get(context, templateId, input.templateVersionId);
    if (settings.setting("execution.requirePublished") && !allowsDrafts) requirePublished(version);
    const target = await targets.accept(context, input.target, settings.setting("scaffold.repositoryBase"));
    const {
      parameterSchema,
      parameterSchemaOrigin,
      parameterNames: templateNames,
      parameterAliases: aliases,
    } = version;
    const question = {
      parameterSchema,
      parameterSchemaOrigin,
      templateNames,
      aliases,
      parameters: input.parameters ?? {},
    };
    const parameters = await checkedParameters(parameterChecker, question, tenantOf(context));
    const violations = await this.#violations(context, version, input);
    if (settings.setting("execution.requireCompatible")) requireCompatible(violations);
    const warnings = [...outdated(version), ...violations.map(({ rule, detail }) => ({ code: rule, message: detail }))];
    const runningLimit = settings.limit("maxRunningExecutions");
    return { ...request, version, target, parameters, warnings, agentTaskId, runningLimit };
  }

  /** Stores the execution and its first step, and sends its job, in one transaction. */
  async accept(
    context: RequestContext,
    transaction: Transaction,
    checkedRequest: CountedRequest,
  ): Promise<ExecutionType> {
    const { tenantId } = transaction.tenant;
    const { templateVersionId, revision } = checkedRequest.version;
    if ((await this.#services.versions.hold(transaction, templateVersionId)) !== revision) throw replacedMeanwhile();
    const execution = transaction.em.create(Execution, newExecution(context, tenantId, checkedRequest));
    const { executionId, sequence, status, phase, requestedAt } = execution;
    const change = transaction.em.create(ExecutionChange, {
      tenantId,
      executionId,
      sequence,
      status,
      phase,
      changedAt: requestedAt,
    });
    transaction.em.persist([execution, change]);
    const { runningLimit } = checkedRequest;
    const limitMembers = runningLimit === executionJob.concurrencyPerTenant ? {} : { runningLimit };
    await this.#services.jobs.send(transaction, executionJob, { tenantId, executionId, ...limitMembers });
    return executionView(execution);
  }

  async #violations(
    context: RequestContext,
    version: TemplateVersionType,
    input: RequestExecutionInput,
  ): Promise<Violation[]> {
    const libraries = input.libraries ?? [];
    checkLibraries(libraries, { distinct: true });
    if (libraries.length === 0) return [];
    const { compatibility } = this.#services;
    return (await compatibility.assess(tenantOf(context), version.targetFramework, libraries)).violations;
  }
}

function newExecution(context: RequestContext, tenantId: string, checkedRequest: CountedRequest) {
  const { executionId, templateId, input, target, parameters, warnings, agentTaskId, retryOf = null } = checkedRequest;
  const requestedAt = new Date();
  return {
    tenantId,
    executionId,
    templateId,
    templateVersionId: input.templateVersionId,
    templateRevision: checkedRequest.version.revision,
    status: "Requested" as const,
    phase: "Queued" as const,
    fence: 0,
    sequence: 1,
    retryOf,
    parameters,
    libraries: (input.libraries ?? []).map(({ packageName, version }) => ({ packageName, version })),
    repository: target.repository,
    cloneUrl: target.cloneUrl,
    branch: target.branch,
    directory: target.directory,
    nameDirectory: target.nameDirectory,
    onConflict: target.onConflict,
    credentialRef: target.credentialRef,
    connectionId: target.connection?.connectionId ?? null,
    providerId: target.connection?.providerId ?? null,
    requestedPullRequest: target.connection && pullRequestText(input.target.pullRequest),
    pullRequest: null,
    pullRequestKey: null,
    agentTaskId,
    traceparent: traceparent(context.trace),
    requestedBy: principalOf(context).subject,
    requestedAt,
    startedAt: null,
    completedAt: null,
    scaffoldOutputId: null,
    output: null,
    manualInstructions: [],
    warnings,
    error: null,
  };
}

const replacedMeanwhile = () =>
  new DomainError("CONFLICT", {
    detail: "The Draft was replaced while the execution was requested. Request the execution again.",
  });

const pullRequestText = (pullRequest: PullRequestInput | null | undefined) => ({
  title: pullRequest?.title ?? null,
  body: pullRequest?.body ?? null,
  labels: pullRequest?.labels ?? [],
});

/** A token that is bound to an agent task may act for that task only. */
function agentTask(context: RequestContext, input: RequestExecutionInput): string | null {
  const boundTaskId = principalOf(context).agentTaskId;
  const requestedTaskId = input.correlation?.agentTaskId ?? undefined;
  if (boundTaskId !== undefined && requestedTaskId !== undefined && requestedTaskId !== boundTaskId)
    throw new DomainError("AGENT_TASK_MISMATCH", {
      detail:
        "The token is bound to another agent task. Leave correlation.agentTaskId out, or use a token of that task.",
    });
  return requestedTaskId ?? boundTaskId ?? null;
}
