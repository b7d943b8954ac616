import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { FileTree } from "@factory/template-engine/file-tree";
import { render } from "@factory/template-engine/render";
import { noTarget } from "@factory/template-engine/target-files";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import type { TaskOutcome } from "../worker-pool/worker-task.js";
import type { RenderFacts, RenderInput, RenderOrder } from "./template-renderer.js";

/**
 * Renders inside a worker process. The scaffold's name is the requested one, else the template's, else the fallback.
 */
export function renderTemplate(order: RenderInput, files: FileTree): TaskOutcome<RenderFacts> {
  const { name, fallbackName, template, nameDirectory = false, target = noTarget, parametersJson, ...request } = order;
  const pack = loadTemplatePack(files, template);
  const chosenName = [name, pack.config.defaultName].find((candidate) => candidate?.trim());
  const ownFolder = nameDirectory && pack.config.preferNameDirectory ? name?.trim() : undefined;
  const directory = [target.directory, ownFolder].filter(Boolean).join("/");
  const { files: producedFiles, ...output } = render(pack, {
    ...request,
    parameters: parseForeignJson(parametersJson) as RenderOrder["parameters"],
    name: chosenName ?? fallbackName,
    target: { ...target, directory },
  });
  return { output, files: producedFiles };
}
