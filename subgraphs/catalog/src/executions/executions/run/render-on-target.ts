import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RenderResult } from "@factory/template-engine/render";
import { type TargetEdit as TemplateEdit, withChanges } from "@factory/template-engine/target-edits";
import { readableTargetPaths } from "@factory/template-engine/target-files";
import type { Target, TargetEdit } from "../../../targets/targets/push-scaffold.js";
import type { TargetResolver } from "../../../targets/targets/target-resolver.js";
import type { Execution } from "../record/execution.entity.js";
import { requireLfsObjects } from "./lfs-objects.js";
import type { FetchedOrigin, Scaffolding, ScaffoldOrder } from "./scaffolding.js";

interface RenderedOnTarget {
  readonly rendered: RenderResult;
  /** The caller closes it. */
  readonly target: Target;
  /** The target's texts that the template read; undefined when it reads none. */
  readonly targetTexts: ReadonlyMap<string, string> | undefined;
}

interface Places {
  readonly scaffolding: Scaffolding;
  readonly targets: TargetResolver;
}

interface RenderRequest {
  readonly order: ScaffoldOrder & Pick<Execution, "branch" | "credentialRef" | "connectionId">;
  readonly signal: AbortSignal;
}

/** The limit for characters to read when edits are made again, since this blocks the event loop. */
const maxEditedCharacters = 8 * 1024 * 1024;
const maxFiles = 200;
const limits = { maxBytes: 1024 * 1024, maxTotalBytes: 4 * 1024 * 1024 };

/** Renders a template and opens its target: before the render if the template reads the target, else afterwards. */
export async function renderOnTarget(
  { scaffolding, targets }: Places,
  fetchedOrigin: FetchedOrigin,
  { order, signal }: RenderRequest,
): Promise<RenderedOnTarget> {
  if (!scaffolding.readsTarget(fetchedOrigin)) {
    const renderResult = await scaffolding.render(fetchedOrigin, order, { signal });
    requireLfsObjects(renderResult.files);
    return { rendered: renderResult, target: await targets.open(order, signal), targetTexts: undefined };
  }
  const target = await targets.open(order, signal);
  try {
    const paths = readableTargetPaths(target.paths, order.directory).slice(0, maxFiles);
    const targetTexts = await target.texts(paths, limits);
    const renderResult = await scaffolding.render(fetchedOrigin, order, { signal, targetTexts });
    requireLfsObjects(renderResult.files);
    return { rendered: renderResult, target, targetTexts };
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** The edits that the libraries and the template make. On a file that both edit, the library edits run first. */
export function withTemplateEdits(
  edits: ReadonlyMap<string, TargetEdit>,
  { rendered, targetTexts }: Pick<RenderedOnTarget, "rendered" | "targetTexts">,
): ReadonlyMap<string, TargetEdit> {
  const all = new Map(edits);
  for (const change of rendered.edits) {
    const seenText = targetTexts?.get(change.path);
    const earlier = edits.get(change.path);
    all.set(change.path, (current) => templateEdit(change, seenText, earlier?.(current) ?? current));
  }
  return all;
}

/**
 * The edit is made again only when the file has changed since the template read it. A file that can no longer be edited
 * stays unchanged.
 */
function templateEdit(
  { path, changes, text }: TemplateEdit,
  seenText: string | undefined,
  current: Uint8Array,
): Uint8Array {
  const now = Buffer.from(current).toString("utf8");
  if (now !== seenText && now.length * changes.length > maxEditedCharacters)
    throw new DomainError("TARGET_MOVED", {
      detail: `The file ${path} of the target changed while it was edited. Try again later.`,
    });
  const editedText = now === seenText ? text : withChanges(now, path, changes);
  return editedText === undefined ? current : Buffer.from(editedText, "utf8");
}
