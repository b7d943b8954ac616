import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/job-queue";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { CompatibilityService } from "../compatibility/compatibility.service.js";
import { checkLibraries } from "../libraries/library-reference.js";
import type { RenderingPool } from "../rendering/rendering-pool.js";
import type { TargetResolver } from "../targets/target-resolver.js";
import type { TemplateVersionService } from "../template-versions/template-version.service.js";
import type { TemplateVersionType } from "../template-versions/template-version.type.js";
import { Execution } from "./execution.entity.js";
import type { RequestExecutionInput } from "./execution.input.js";
import { executionJob } from "./execution.job.js";
import type { ExecutionType, ExecutionWarningType } from "./execution.type.js";
import { type ExecutionRow, executionRowView, executionView } from "./execution.view.js";

const executionById = tenantStatement(
  "execution_by_id",
  "select execution.* from executions execution where tenant_id = scope.tenant and execution_id = $2",
);

interface ExecutionServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly versions: TemplateVersionService;
  readonly compatibility: CompatibilityService;
  readonly targets: TargetResolver;
  readonly rendering: RenderingPool;
}

export class ExecutionService {
  readonly #services: ExecutionServices;

  constructor(services: ExecutionServices) {
    this.#services = services;
  }

  async find(tenant: Tenant, executionId: string): Promise<ExecutionType | undefined> {
    const uuid = decodeId("exe", executionId);
    if (uuid === undefined) return undefined;
    const row = await this.#services.database.reader.row<ExecutionRow>(executionById, tenant, uuid);
    return row && executionRowView(row);
  }

  async get(context: RequestContext, templateId: string, executionId: string): Promise<ExecutionType> {
    const execution = await this.find(tenantOf(context), executionId);
    if (execution?.templateId !== templateId)
      throw new DomainError("EXECUTION_NOT_FOUND", { detail: "No such execution of this template." });
    return execution;
  }

  /** Accepts an execution: everything that can be refused at once is refused here, the rest happens in a job. */
  request(context: RequestContext, templateId: string, input: RequestExecutionInput): Promise<ExecutionType> {
    const { database, jobs, versions, targets } = this.#services;
    const agentTaskId = agentTask(context, input);
    return mutate(database, context, {
      field: "requestExecution",
      arguments: { templateId, input },
      prepare: async () => {
        const version = await versions.get(context, templateId, input.templateVersionId);
        const target = targets.accept(context, input.target);
        const parameters = await this.#checkedParameters(version, input);
        return { target, parameters, warnings: await this.#warnings(context, version, input) };
      },
      commit: async (transaction, { target, parameters, warnings }) => {
        const execution = transaction.em.create(Execution, {
          tenantId: transaction.tenant.tenantId,
          executionId: newId("exe"),
          templateId,
          templateVersionId: input.templateVersionId,
          status: "Requested",
          phase: "Queued",
          fence: 0,
          parameters,
          libraries: (input.libraries ?? []).map(({ packageName, version }) => ({ packageName, version })),
          repository: input.target.repository,
          cloneUrl: target.cloneUrl,
          branch: target.branch,
          onConflict: target.onConflict,
          agentTaskId,
          traceparent: traceparent(context.trace),
          requestedBy: principalOf(context).subject,
          requestedAt: new Date(),
          startedAt: null,
          completedAt: null,
          scaffoldOutputId: null,
          output: null,
          manualInstructions: [],
          warnings,
          error: null,
        });
        transaction.em.persist(execution);
        const { tenantId } = transaction.tenant;
        await jobs.send(transaction, executionJob, { tenantId, executionId: execution.executionId });
        return executionView(execution);
      },
    });
  }

  async #checkedParameters(
    version: TemplateVersionType,
    input: RequestExecutionInput,
  ): Promise<Record<string, unknown>> {
    const checked = await this.#services.rendering.checkParameters(version.parameterSchema, input.parameters ?? {});
    if (checked.valid) return checked.parameters;
    throw new DomainError("PARAMETERS_INVALID", {
      detail: "The parameters do not satisfy the parameterSchema of the version.",
      errors: checked.errors.map(({ pointer, code, detail, keyword }) => ({
        pointer: `/parameters${pointer}`,
        code,
        detail,
        keyword,
      })),
    });
  }

  async #warnings(
    context: RequestContext,
    version: TemplateVersionType,
    input: RequestExecutionInput,
  ): Promise<ExecutionWarningType[]> {
    const libraries = input.libraries ?? [];
    checkLibraries(libraries, { distinct: true });
    const deprecated =
      version.status === "Deprecated"
        ? [{ code: "TemplateVersionDeprecated", message: "This version of the template is deprecated." }]
        : [];
    if (libraries.length === 0) return deprecated;
    const { violations } = await this.#services.compatibility.assess(
      tenantOf(context),
      version.targetFramework,
      libraries,
    );
    return [...deprecated, ...violations.map(({ rule, detail }) => ({ code: rule, message: detail }))];
  }
}

/** A token bound to a task acts for that task only. */
function agentTask(context: RequestContext, input: RequestExecutionInput): string | null {
  const bound = principalOf(context).agentTaskId;
  const asked = input.correlation?.agentTaskId ?? undefined;
  if (bound !== undefined && asked !== undefined && asked !== bound)
    throw new DomainError("AGENT_TASK_MISMATCH", { detail: "The token is bound to another agent task." });
  return asked ?? bound ?? null;
}
