import type { Execution } from "./execution.entity.js";

/** What every event of an execution tells; nothing of its parameters. */
export function eventFacts({ executionId, templateId, templateVersionId, agentTaskId }: Execution) {
  return { executionId, templateId, templateVersionId, agentTaskId };
}
