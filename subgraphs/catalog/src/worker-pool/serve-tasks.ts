import { render } from "@factory/template-engine/render";
import { NO_TARGET } from "@factory/template-engine/target-files";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { upgradeAdvice } from "../compatibility/evaluate-upgrade.js";
import { checkParameters } from "../parameters/parameter-schema.js";
import { schemaFault } from "../parameters/schema-fitness.js";
import type { RenderingAnswer, RenderingRequest } from "../rendering/render-task.js";
import { runCheck } from "../template-checks/run-check.js";
import { packTree, unpackTree } from "./packed-tree.js";

export interface AnswerWithBytes {
  readonly answer: RenderingAnswer;
  readonly bytes?: Uint8Array;
}

/** What a process does with one request. Never throws: errors lose their class between processes. */
export async function answerRequest(
  request: RenderingRequest,
  bytes: Uint8Array | undefined,
): Promise<AnswerWithBytes> {
  try {
    return request.kind === "render" ? renderTree(request, bytes) : { answer: await answer(request, bytes) };
  } catch (error) {
    if (error instanceof TemplateError) {
      const { code, message, findings } = error;
      return { answer: { kind: "refused", code, message, findings } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { answer: { kind: "broken", message, stack } };
  }
}

type RenderRequest = Extract<RenderingRequest, { kind: "render" }>;

async function answer(
  request: Exclude<RenderingRequest, RenderRequest>,
  bytes: Uint8Array | undefined,
): Promise<RenderingAnswer> {
  switch (request.kind) {
    case "parameters": {
      const { schema, parameters, templateNames } = request;
      return { kind: "parameters", checked: await checkParameters(schema, parameters, { templateNames }) };
    }
    case "schema":
      return { kind: "schema", fault: await schemaFault(request.schema) };
    case "upgrade":
      return { kind: "upgrade", advice: upgradeAdvice(request.input) };
    case "check": {
      const { check, files, ...subject } = request;
      return { kind: "checked", ...(await runCheck(check, unpackTree(files, bytes), subject)) };
    }
  }
}

function renderTree({ files, order }: RenderRequest, bytes: Uint8Array | undefined): AnswerWithBytes {
  const { name, fallbackName, template, nameDirectory = false, target = NO_TARGET, ...request } = order;
  const pack = loadTemplatePack(unpackTree(files, bytes), template);
  const chosen = [name, pack.config.defaultName].find((candidate) => candidate?.trim());
  const ownFolder = nameDirectory && pack.config.preferNameDirectory ? name?.trim() : undefined;
  const directory = [target.directory, ownFolder].filter(Boolean).join("/");
  const { files: produced, ...facts } = render(pack, {
    ...request,
    name: chosen ?? fallbackName,
    target: { ...target, directory },
  });
  const packed = packTree(produced);
  return { answer: { kind: "rendered", files: packed.files, ...facts }, bytes: packed.bytes };
}
