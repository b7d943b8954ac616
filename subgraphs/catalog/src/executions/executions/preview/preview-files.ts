import type { FilePreview } from "../../../targets/targets/scaffold.js";
import type { PreviewFileType } from "./execution-preview.type.js";
import { fileDiff } from "./file-diff.js";

const maxDiffCharacters = 1024 * 1024;
/** The time for all diffs together, since they block the event loop. */
const maxDiffMs = 1000;

/** A preview's files. Diffs stop at the size limit or the time limit. The process does other work between files. */
export async function previewFiles(
  plannedFiles: readonly FilePreview[],
  signal: AbortSignal,
): Promise<{ files: PreviewFileType[]; truncated: boolean }> {
  let charactersLeft = maxDiffCharacters;
  let msLeft = maxDiffMs;
  let isTruncated = false;
  const files: PreviewFileType[] = [];
  for (const file of plannedFiles) {
    const { path, change, conflict, mode, newBytes } = file;
    let shownDiff: string | null = null;
    if (change !== "Unchanged" || conflict) {
      const isCompared = charactersLeft > 0 && msLeft > 0;
      const startTime = performance.now();
      const diff = isCompared ? fileDiff(file) : undefined;
      msLeft -= performance.now() - startTime;
      if (diff !== undefined && diff.length <= charactersLeft) shownDiff = diff;
      isTruncated ||= !isCompared || (diff !== undefined && shownDiff === null);
      charactersLeft -= shownDiff?.length ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    files.push({
      path,
      change,
      conflict,
      executable: mode === "100755",
      size: newBytes?.length ?? null,
      diff: shownDiff,
    });
  }
  return { files, truncated: isTruncated };
}
