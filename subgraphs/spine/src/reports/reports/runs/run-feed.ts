import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import type { FeedEnd } from "@factory/runtime/graphql/feed-end";
import type { StepSource } from "@factory/runtime/step-feeds/step-feed";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { readRun } from "./read-run.js";
import { isSettled } from "./report-run.states.js";
import type { ReportRunChangeType } from "./report-run.type.js";
import { type RunRecord, runTable } from "./run-record.js";

/** The services that a feed reads from. */
export interface RunFeedServices {
  readonly reader: TenantReader;
  readonly watch: StepWatch;
  readonly logger: Logger;
}

/** A run's change, or the reason why the feed ended. */
export type RunFeedItem = ReportRunChangeType | FeedEnd;

/** An existing run's latest change. Changes between two reads are told as one. */
export function changesOfRun(
  { reader, watch, logger }: RunFeedServices,
  tenant: Tenant,
  reportRunId: string,
): StepSource<ReportRunChangeType> {
  return {
    async read(after) {
      const run = await readRun(reader, tenant, reportRunId);
      return {
        steps: run && run.sequence > after ? [changeOf(run)] : [],
        hasEnded: !run || isSettled(run.status),
      };
    },
    subscribe: (wake) => watch.subscribe(runTable.uuid(reportRunId), wake),
    logger,
  };
}

function changeOf({ reportRunId, sequence, status, rowsDone, rowsTotal, updatedAt }: RunRecord): ReportRunChangeType {
  return { reportRunId, sequence, status, rowsDone, rowsTotal, changedAt: updatedAt };
}
