import { isUtf8 } from "node:buffer";
import { blobSizes, fetchBlobs, readBlobs } from "../../git/git/blobs.js";
import { symlinkMode, type TreeEntry } from "../../git/git/tree-listing.js";
import { type ObjectFormat, objectFormat, type Workspace } from "../../git/git/workspace.js";
import { targetUnavailable } from "./target-failure.js";
import type { TargetHead } from "./target-head.js";

const maxPackedBytes = 256 * 1024 * 1024;
const maxReadBytes = 128 * 1024 * 1024;
/** The limit for one file that is edited. */
const maxEditedBytes = 5 * 1024 * 1024;

/** A target's files at one moment. Their bytes are fetched on demand. */
export class TargetTree {
  readonly #workspace: Workspace;
  readonly #head: TargetHead;

  constructor(workspace: Workspace, head: TargetHead) {
    this.#workspace = workspace;
    this.#head = head;
  }

  get entries(): ReadonlyMap<string, TreeEntry> {
    return this.#head.files;
  }

  get format(): ObjectFormat {
    return objectFormat(this.#head.base);
  }

  /** The bytes of a regular file; undefined when the path is missing or is a link. */
  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.entries.get(path);
    if (entry?.type !== "blob" || entry.mode === symlinkMode) return undefined;
    const size = (await this.sizes([entry.id])).get(entry.id) ?? 0;
    if (size > maxEditedBytes)
      throw targetUnavailable(
        `The file ${JSON.stringify(path)} of the target has more than 5 MiB and cannot be edited.`,
      );
    return (await readBlobs(this.#workspace, [{ id: entry.id, size }])).get(entry.id);
  }

  /** The texts at those paths that are regular files in UTF-8, as many as fit into `maxTotalBytes`. */
  async texts(
    paths: readonly string[],
    { maxBytes, maxTotalBytes }: { maxBytes: number; maxTotalBytes: number },
  ): Promise<Map<string, string>> {
    const files = paths.flatMap((path) => {
      const entry = this.entries.get(path);
      return entry?.type === "blob" && entry.mode !== symlinkMode ? [{ path, id: entry.id }] : [];
    });
    const blobs = await this.readSmallBlobs([...new Set(files.map(({ id }) => id))], maxBytes);
    const texts = new Map<string, string>();
    let remainingBytes = maxTotalBytes;
    for (const { path, id } of files) {
      const bytes = blobs.get(id);
      if (bytes === undefined || bytes.length > remainingBytes || !isUtf8(bytes)) continue;
      remainingBytes -= bytes.length;
      texts.set(path, Buffer.from(bytes).toString("utf8"));
    }
    return texts;
  }

  /** Fetches what is missing at once. Leaves out blobs over `maxBytes`, and those that exceed 128 MiB together. */
  async readSmallBlobs(ids: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, Uint8Array>> {
    let remainingBytes = maxReadBytes;
    const small = [...(await this.sizes(ids))].filter(([, size]) => {
      const fits = size <= maxBytes && size <= remainingBytes;
      if (fits) remainingBytes -= size;
      return fits;
    });
    return readBlobs(
      this.#workspace,
      small.map(([id, size]) => ({ id, size })),
    );
  }

  /** Sizes in bytes by blob id. The blobs belong to the tree of `commit`. */
  async sizes(ids: readonly string[], commit = this.#head.base): Promise<ReadonlyMap<string, number>> {
    // Fetched here, under a limit. Otherwise git fetches missing blobs by itself, without a limit.
    if (ids.length > 0 && commit !== null) {
      await fetchBlobs(this.#workspace, `${commit}^{tree}`, {
        ids: new Set(ids),
        maxBytes: maxPackedBytes,
        tooLarge: targetUnavailable("The files of the target that must be compared have more than 256 MiB."),
      });
    }
    return blobSizes(this.#workspace, ids);
  }
}
