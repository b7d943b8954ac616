import type { ReadSource } from "../../../sources/sources/source-reader.js";
import type { CommitMetadata } from "../../../targets/targets/scaffold-commit.js";
import type { TemplateType } from "../../../templates/templates/template.type.js";
import type { TemplateVersionType } from "../../../templates/templates/template-version.type.js";
import type { Execution } from "../record/execution.entity.js";

interface Origin {
  readonly execution: Pick<Execution, "executionId" | "requestedAt" | "agentTaskId">;
  readonly template: Pick<TemplateType, "name">;
  readonly version: Pick<TemplateVersionType, "templateVersionId" | "semanticVersion">;
  readonly source: Pick<ReadSource, "resolvedRef" | "contentDigest">;
}

const bot = { authorName: "catalog-bot", authorEmail: "catalog@localhost" };

/**
 * The commit's message, author and date. They depend on the execution alone, so that a second run on the same parent
 * gives the same commit id.
 */
export function scaffoldCommit({ execution, template, version, source }: Origin): CommitMetadata {
  const trailers = [
    `Execution-Id: ${execution.executionId}`,
    `Template-Version-Id: ${version.templateVersionId}`,
    `Template-Source: ${source.resolvedRef}`,
    `Content-Digest: ${source.contentDigest}`,
    ...(execution.agentTaskId === null ? [] : [`Agent-Task-Id: ${oneLine(execution.agentTaskId)}`]),
  ];
  return {
    message: `Scaffold ${oneLine(template.name)} ${version.semanticVersion}\n\n${trailers.join("\n")}\n`,
    ...bot,
    date: execution.requestedAt,
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
