import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { RunEnd } from "../../runs/run-operations.js";
import type { RunRecord } from "../../runs/run-record.js";

/**
 * Records the event when an InvokeTool run has ended. It names the tool as its server does, and holds neither arguments
 * nor a result.
 */
export async function recordInvocationEnd(
  { record }: Pick<Transaction, "record">,
  { runId, connectionId, projectId, operation, payload }: RunRecord,
  end: RunEnd,
): Promise<void> {
  if (operation !== "InvokeTool") return;
  const { agentTaskId = null } = payload;
  const toolName = end.result?.["toolName"] ?? payload["toolName"];
  const facts = { runId, connectionId, toolName, agentTaskId };
  const subject = `runs/${runId}`;
  const error = errorOf(end);
  if (error) record({ type: "ToolInvocationFailed", subject, projectId, data: { ...facts, error } });
  else record({ type: "ToolInvoked", subject, projectId, data: { ...facts, durationMs: durationOf(end) } });
}

/** A tool that has run and reports a failure has failed, although its run is Completed. */
function errorOf(end: RunEnd): { code: string; detail: string } | undefined {
  if (end.status !== "Completed") return { code: end.code, detail: end.detail };
  if (end.result?.["isError"] !== true) return undefined;
  return { code: "TOOL_FAILED", detail: "The tool has reported a failure." };
}

const durationOf = (end: RunEnd) => Number(end.result?.["durationMs"] ?? 0);
