import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { executionOfBranch } from "../../../git/source-control/pull-request-branch.js";
import type { PullRequestFacts } from "../../../git/source-control/source-control.js";
import { Execution } from "../record/execution.entity.js";
import { pullRequestKey } from "../record/pull-request.js";
import { notePullRequest } from "../record/pull-request-events.js";

/** The data in PullRequestReported, whose schema the sender checks. */
interface ReportedPullRequest extends PullRequestFacts {
  readonly providerId: string;
  /** Absent in an event of an earlier release. */
  readonly connectionIds?: readonly string[] | null;
  readonly repository: string;
  readonly branch: string;
  readonly isOwnBranch: boolean;
}

/**
 * A report may be faster than the pull request's record, and a vendor may have opened it without an answer, so that the
 * execution failed. Then the branch names the execution, unless it belongs to a fork, which anybody may have named so.
 * The report counts only for the connections that its sender may report on.
 */
const reportedExecution = {
  name: "execution_of_pull_request",
  text: `select execution_id from executions
    where tenant_id = $1 and provider_id = $2 and ($7::uuid[] is null or connection_id = any($7))
      and (pull_request_key = $3 or (execution_id = $4 and pull_request_key is null and lower(repository) in ($5, $6)
        and status in ('Requested', 'Running', 'Failed')))
    order by pull_request_key is null limit 1 for no key update`,
};

/** Shows on executions what vendors report about their pull requests. A repeated or late report changes nothing. */
export class PullRequestReports {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  consumer(): EventConsumer {
    return {
      group: "catalog.pull-requests",
      types: ["PullRequestReported"],
      handle: (messages) => this.note(messages),
    };
  }

  async note(messages: readonly BusMessage[]): Promise<void> {
    for (const { envelope } of messages) {
      const cause = {
        trace: continueTrace(envelope.traceparent),
        correlationId: envelope.correlationid,
        causationId: envelope.id,
        actorId: envelope.actorid ?? "system",
      };
      await this.#database.transaction(tenantWithId(envelope.tenantid), cause, (transaction) =>
        apply(transaction, envelope),
      );
    }
  }
}

async function apply(transaction: Transaction, { data }: Envelope): Promise<void> {
  const report = data as unknown as ReportedPullRequest;
  const { tenant, em, execute } = transaction;
  const repository = report.repository.toLowerCase();
  const branchOwner = report.isOwnBranch ? decodeId("exe", executionOfBranch(report.branch) ?? "") : undefined;
  const [reportedRow] = await execute<{ execution_id: string }>(reportedExecution, [
    ...[tenant.uuid, decodeId("prv", report.providerId), pullRequestKey(repository, report.number)],
    ...[branchOwner ?? null, repository, `${repository}.git`],
    report.connectionIds?.map((id) => decodeId("con", id)) ?? null,
  ]);
  if (!reportedRow) return;
  const executionId = encodeId("exe", reportedRow.execution_id);
  const execution = await em.findOneOrFail(Execution, { tenantId: tenant.tenantId, executionId });
  notePullRequest(execution, transaction, report);
}
