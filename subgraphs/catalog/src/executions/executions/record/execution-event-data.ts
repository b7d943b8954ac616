import type { Execution } from "./execution.entity.js";

/** The data in every execution event. It has no parameters, since they may be confidential. */
export function eventFacts({ executionId, templateId, templateVersionId, agentTaskId }: Execution) {
  return { executionId, templateId, templateVersionId, agentTaskId };
}
