import { upgradeAdvice } from "../compatibility/evaluate-upgrade.js";
import { render } from "../engine/render.js";
import { TemplateError } from "../engine/template-error.js";
import { loadTemplatePack } from "../engine/template-pack.js";
import { checkParameters } from "../parameters/parameter-schema.js";
import { runCheck } from "../validations/checks/run-check.js";
import { packTree, unpackTree } from "./packed-tree.js";
import type { RenderingAnswer, RenderingRequest } from "./rendering-request.js";

/** What a worker does with one request. Never throws: errors lose their class between threads. */
export async function answerRequest(request: RenderingRequest): Promise<RenderingAnswer> {
  try {
    return await answer(request);
  } catch (error) {
    if (error instanceof TemplateError) {
      const { code, message, findings } = error;
      return { kind: "refused", code, message, findings };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: "broken", message, stack };
  }
}

async function answer(request: RenderingRequest): Promise<RenderingAnswer> {
  switch (request.kind) {
    case "render":
      return renderTree(request);
    case "parameters":
      return { kind: "parameters", checked: await checkParameters(request.schema, request.parameters) };
    case "upgrade":
      return { kind: "upgrade", advice: upgradeAdvice(request.input) };
    case "check": {
      const { check, tree, ...subject } = request;
      return { kind: "checked", ...(await runCheck(check, unpackTree(tree), subject)) };
    }
  }
}

function renderTree({ tree, order }: Extract<RenderingRequest, { kind: "render" }>): RenderingAnswer {
  const pack = loadTemplatePack(unpackTree(tree));
  const { name, fallbackName, ...request } = order;
  const chosen = [name, pack.config.defaultName].find((candidate) => candidate?.trim());
  const { files, ...facts } = render(pack, { ...request, name: chosen ?? fallbackName });
  return { kind: "rendered", tree: packTree(files, (size) => new ArrayBuffer(size)), ...facts };
}
