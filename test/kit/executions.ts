import { request } from "./request.js";
import { finished, type TestExecution, type TestVersion } from "./templates.js";

/** Requests an execution and waits for its final state. */
export async function executed(
  token: string,
  { templateId, templateVersionId }: TestVersion,
  input: Record<string, unknown>,
): Promise<TestExecution> {
  const answer = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
    token,
    body: { templateVersionId, ...input },
  });
  if (answer.status !== 202) throw new Error(answer.text);
  return finished(token, templateId, answer.body.executionId);
}
