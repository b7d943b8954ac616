import type { FilePreview } from "../../../targets/targets/scaffold.js";
import { previewFiles } from "./preview-files.js";

const lines = (step: number) =>
  Buffer.from(Array.from({ length: 6000 }, (_, index) => String((index * step) % 100_003)).join("\n"));

/** Its two versions share too little to be compared within the time for one file. */
const costly = (index: number): FilePreview => ({
  path: `${index}.txt`,
  change: "Updated",
  conflict: false,
  conflictingHunks: 0,
  oldMode: "100644",
  mode: "100644",
  oldBytes: lines(7919),
  newBytes: lines(104_729),
});

describe("files of a preview", () => {
  it("are compared for at most a second, without blocking the event loop", async () => {
    const startTime = performance.now();
    let turns = 0;
    let isEnded = false;
    const turn = () => {
      turns += 1;
      if (!isEnded) setImmediate(turn);
    };
    setImmediate(turn);
    const plannedFiles = Array.from({ length: 30 }, (_, index) => costly(index));
    const { files, truncated } = await previewFiles(plannedFiles, new AbortController().signal);
    isEnded = true;
    expect(performance.now() - startTime).toBeLessThan(30_000);
    expect(turns).toBeGreaterThanOrEqual(plannedFiles.length);
    expect(truncated).toBe(true);
    expect(files.map(({ path, diff }) => [path, diff])).toEqual(plannedFiles.map(({ path }) => [path, null]));
  });

  it("are given up with the preview", async () => {
    await expect(previewFiles([costly(1)], AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
  });
});
