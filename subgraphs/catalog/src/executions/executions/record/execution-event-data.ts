import type { Execution } from "./execution.entity.js";

/** The data of every event of an execution. It has no parameters, since they may be confidential. */
export function eventFacts({ executionId, templateId, templateVersionId, agentTaskId }: Execution) {
  return { executionId, templateId, templateVersionId, agentTaskId };
}
