import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { ExecutionPhase } from "@factory/schema/vocabularies/executions";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { OnConflict } from "../../../targets/targets/on-conflict.js";
import { type ExecutionState, executionWaits } from "./execution.states.js";
import type {
  ExecutionErrorType,
  ExecutionWarningType,
  ManualInstructionType,
  ScaffoldOutputType,
} from "./execution.type.js";
import type { RequestedPullRequestText, StoredPullRequest } from "./pull-request.js";

/** A package and its version that an execution adds to the projects. */
export interface RequestedLibrary {
  packageName: string;
  version: string;
}

/** One request to render a template version and to push the result to a target. */
@Entity(sweptTenantTable("executions", executionWaits))
@Index({
  name: "executions_waiting",
  expression: `create index executions_waiting on executions (execution_id) where ${executionWaits}`,
})
@Index({ name: "executions_template_version", properties: ["tenantId", "templateVersionId", "templateRevision"] })
@Index({
  name: "executions_pull_request",
  properties: ["tenantId", "providerId", "pullRequestKey"],
  where: "pull_request_key is not null",
})
@Unique({ name: "executions_scaffold_output", properties: ["tenantId", "scaffoldOutputId"] })
export class Execution {
  [PrimaryKeyProp]?: ["tenantId", "executionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("exe") })
  executionId: string;

  @Property({ type: wireId("tpl") })
  templateId: string;

  @Property({ type: wireId("tpv") })
  templateVersionId: string;

  /** The revision of the requested version. */
  @Property({ type: "integer", default: 1 })
  templateRevision: number;

  @Property({ type: "text" })
  status: ExecutionState;

  @Property({ type: "text", nullable: true })
  phase: ExecutionPhase | null;

  /** The fencing token: it rises with every claim, and a worker with an older fence cannot write. */
  @Property({ type: "integer" })
  fence: number;

  /** The sequence number of the newest row in `execution_changes`. */
  @Property({ type: "integer", default: 0 })
  sequence: number;

  /** The failed or cancelled execution that this one retries. */
  @Property({ type: wireId("exe"), nullable: true })
  retryOf: string | null;

  @Property(foreignJson())
  parameters: Record<string, unknown>;

  @Property({ type: "json" })
  libraries: RequestedLibrary[];

  /** A URL, or `owner/name` in the platform's git store. */
  @Property({ type: "text" })
  repository: string;

  /** The URL from which the result can be cloned. */
  @Property({ type: "text" })
  cloneUrl: string;

  @Property({ type: "text" })
  branch: string;

  /** The target folder that everything is written to. "" is its root. */
  @Property({ type: "text", default: "" })
  directory: string;

  /** Whether a folder with the given name contains everything, if the template prefers it. */
  @Property({ type: "boolean", default: false })
  nameDirectory: boolean;

  @Property({ type: "text" })
  onConflict: OnConflict;

  /** The reference to the credential for the target. Only the worker that pushes resolves it. */
  @Property({ type: "text", nullable: true })
  credentialRef: string | null;

  /** The connection through which the result becomes a pull request into `branch`. */
  @Property({ type: wireId("con"), nullable: true })
  connectionId: string | null;

  /** The connection's provider, whose deliveries report the pull request. */
  @Property({ type: wireId("prv"), nullable: true })
  providerId: string | null;

  @Property({ type: "json", nullable: true })
  requestedPullRequest: RequestedPullRequestText | null;

  @Property({ type: "json", nullable: true })
  pullRequest: StoredPullRequest | null;

  /** Names the pull request in its provider's reports. */
  @Property({ type: "text", nullable: true })
  pullRequestKey: string | null;

  @Property({ type: "text", nullable: true })
  agentTaskId: string | null;

  @Property({ type: "text" })
  traceparent: string;

  @Property({ type: "text" })
  requestedBy: string;

  @Property({ type: "timestamptz" })
  requestedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  startedAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  completedAt: Date | null;

  @Property({ type: wireId("sca"), nullable: true })
  scaffoldOutputId: string | null;

  @Property({ type: "json", nullable: true })
  output: ScaffoldOutputType | null;

  @Property({ type: "json" })
  manualInstructions: ManualInstructionType[];

  @Property({ type: "json" })
  warnings: ExecutionWarningType[];

  @Property({ type: "json", nullable: true })
  error: ExecutionErrorType | null;
}
