import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import type { FeedEnd } from "@factory/runtime/graphql/feed-end";
import type { StepSource } from "@factory/runtime/step-feeds/step-feed";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { readSteps } from "./read-run.js";
import { isFinal } from "./run.states.js";
import { type RunStep, runTable } from "./run-record.js";

/** The services that a feed reads from. */
interface RunFeedServices {
  readonly reader: TenantReader;
  readonly watch: StepWatch;
  readonly logger: Logger;
}

/** A run's step as subscribers see it. */
export type RunFeedStep = RunStep & { readonly runId: string };

/** A step, or the reason why the feed ended. */
export type RunFeedItem = RunFeedStep | FeedEnd;

/** The steps in a run that exists. */
export function stepsOfRun(
  { reader, watch, logger }: RunFeedServices,
  tenant: Tenant,
  runId: string,
): StepSource<RunFeedStep> {
  return {
    async read(after) {
      const steps = await readSteps(reader, tenant, runId);
      const last = steps.at(-1);
      return {
        steps: steps.filter(({ sequence }) => sequence > after).map((step) => ({ ...step, runId })),
        hasEnded: !last || isFinal(last.status),
      };
    },
    subscribe: (wake) => watch.subscribe(runTable.uuid(runId), wake),
    logger,
  };
}
