import { isUtf8 } from "node:buffer";
import { blobSizes, fetchBlobs, readBlobs } from "../git/blobs.js";
import { SYMLINK_MODE, type TreeEntry } from "../git/tree-listing.js";
import { type ObjectFormat, objectFormat, type Workspace } from "../git/workspace.js";
import { targetUnavailable } from "./target-failure.js";
import type { TargetHead } from "./target-head.js";

const MAX_PACKED_BYTES = 256 * 1024 * 1024;
const MAX_READ_BYTES = 128 * 1024 * 1024;
/** Of a file that is edited. */
const MAX_EDITED_BYTES = 5 * 1024 * 1024;

/** The files of a target at one moment. Their bytes come only when they are asked for. */
export class TargetTree {
  constructor(
    private readonly workspace: Workspace,
    private readonly head: TargetHead,
  ) {}

  get entries(): ReadonlyMap<string, TreeEntry> {
    return this.head.files;
  }

  get format(): ObjectFormat {
    return objectFormat(this.head.base);
  }

  /** Bytes of a regular file. */
  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.entries.get(path);
    if (entry?.type !== "blob" || entry.mode === SYMLINK_MODE) return undefined;
    const size = (await this.sizes([entry.id])).get(entry.id) ?? 0;
    if (size > MAX_EDITED_BYTES) throw targetUnavailable(`The target's ${JSON.stringify(path)} is over 5 MiB.`);
    return (await readBlobs(this.workspace, [{ id: entry.id, size }])).get(entry.id);
  }

  /** The texts of the paths that are regular files. */
  async texts(
    paths: readonly string[],
    { maxBytes, maxTotalBytes }: { maxBytes: number; maxTotalBytes: number },
  ): Promise<Map<string, string>> {
    const files = paths.flatMap((path) => {
      const entry = this.entries.get(path);
      return entry?.type === "blob" && entry.mode !== SYMLINK_MODE ? [{ path, id: entry.id }] : [];
    });
    const blobs = await this.readSmallBlobs([...new Set(files.map(({ id }) => id))], maxBytes);
    const texts = new Map<string, string>();
    let left = maxTotalBytes;
    for (const { path, id } of files) {
      const bytes = blobs.get(id);
      if (bytes === undefined || bytes.length > left || !isUtf8(bytes)) continue;
      left -= bytes.length;
      texts.set(path, Buffer.from(bytes).toString("utf8"));
    }
    return texts;
  }

  /** Brings what is missing in one fetch. Blobs over `maxBytes`, or past what memory allows together, are left out. */
  async readSmallBlobs(ids: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, Uint8Array>> {
    let left = MAX_READ_BYTES;
    const small = [...(await this.sizes(ids))].filter(([, size]) => {
      const fits = size <= maxBytes && size <= left;
      if (fits) left -= size;
      return fits;
    });
    return readBlobs(
      this.workspace,
      small.map(([id, size]) => ({ id, size })),
    );
  }

  /** In bytes, of blobs that lie in the tree of `commit`. */
  async sizes(ids: readonly string[], commit = this.head.base): Promise<ReadonlyMap<string, number>> {
    // left to itself git would fetch what is missing without a bound
    if (ids.length > 0 && commit !== null) {
      await fetchBlobs(this.workspace, `${commit}^{tree}`, {
        ids: new Set(ids),
        maxBytes: MAX_PACKED_BYTES,
        tooLarge: targetUnavailable("The target's files that have to be compared are over 256 MiB."),
      });
    }
    return blobSizes(this.workspace, ids);
  }
}
