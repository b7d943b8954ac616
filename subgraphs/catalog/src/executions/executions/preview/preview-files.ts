import type { FilePreview } from "../../../targets/targets/scaffold.js";
import type { PreviewFileType } from "./execution-preview.type.js";
import { fileDiff } from "./file-diff.js";

const maxDiffCharacters = 1024 * 1024;
/** The time for all diffs together, since they block the event loop. */
const maxDiffMs = 1000;

/** The files of a preview. Diffs stop at the limit of size or time. Other work of the process runs between files. */
export async function previewFiles(
  planned: readonly FilePreview[],
  signal: AbortSignal,
): Promise<{ files: PreviewFileType[]; truncated: boolean }> {
  let charactersLeft = maxDiffCharacters;
  let msLeft = maxDiffMs;
  let truncated = false;
  const files: PreviewFileType[] = [];
  for (const file of planned) {
    const { path, change, conflict, mode, newBytes } = file;
    let shown: string | null = null;
    if (change !== "Unchanged" || conflict) {
      const compared = charactersLeft > 0 && msLeft > 0;
      const started = performance.now();
      const diff = compared ? fileDiff(file) : undefined;
      msLeft -= performance.now() - started;
      if (diff !== undefined && diff.length <= charactersLeft) shown = diff;
      truncated ||= !compared || (diff !== undefined && shown === null);
      charactersLeft -= shown?.length ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    files.push({ path, change, conflict, executable: mode === "100755", size: newBytes?.length ?? null, diff: shown });
  }
  return { files, truncated };
}
