import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import type { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { StepSource } from "@factory/runtime/step-feeds/step-feed";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type ExecutionState, executionStates } from "../record/execution.states.js";
import { type ExecutionStep, readSteps } from "../record/execution-steps.js";

/** The services that a feed reads from. */
export interface ExecutionFeedServices {
  readonly reader: TenantReader;
  readonly watch: StepWatch;
  readonly logger: Logger;
}

/** An execution step as subscribers see it. */
export type ExecutionFeedStep = ExecutionStep & { readonly executionId: string };

/** A step, or the reason why the feed ended. */
export type ExecutionFeedItem = ExecutionFeedStep | FeedEnd;

const isFinal = (status: ExecutionState): boolean => executionStates[status].next.length === 0;

/** The steps of an execution that exists. `status` is its state now, since a caller may have seen its final step. */
export function stepsOfExecution(
  { reader, watch, logger }: ExecutionFeedServices,
  tenant: Tenant,
  { executionId, status }: { readonly executionId: string; readonly status: ExecutionState },
): StepSource<ExecutionFeedStep> {
  const uuid = decodeId("exe", executionId) ?? "";
  return {
    async read(after) {
      const steps = await readSteps(reader, tenant, { executionId: uuid, after });
      return {
        steps: steps.map((step) => ({ ...step, executionId })),
        hasEnded: isFinal(steps.at(-1)?.status ?? status),
      };
    },
    subscribe: (wake) => watch.subscribe(uuid, wake),
    logger,
  };
}
