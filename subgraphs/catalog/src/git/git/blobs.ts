import { createHash } from "node:crypto";
import type { ObjectFormat, Workspace } from "./workspace.js";

// A batch is in memory twice while its output is collected.
const batchBytes = 8 * 1024 * 1024;
const headerBytes = 128;
const maxWalkBytes = 128 * 1024 * 1024;

interface BlobRequest {
  readonly id: string;
  readonly size: number;
}

/**
 * Reads blobs by `cat-file --batch`, in a few large batches instead of a process for each blob. Returns bytes by id.
 */
export async function readBlobs(
  workspace: Workspace,
  requests: Iterable<BlobRequest>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const sizes = new Map<string, number>();
  for (const { id, size } of requests) sizes.set(id, size);
  const blobs = new Map<string, Uint8Array>();
  for (const batch of batches(sizes)) {
    const maxOutputBytes = batch.reduce((sum, { size }) => sum + size + headerBytes, 0);
    const input = batch.map(({ id }) => `${id}\n`).join("");
    readBatch(await workspace.git(["cat-file", "--batch"], { input, maxOutputBytes }), blobs);
  }
  return blobs;
}

function* batches(sizes: ReadonlyMap<string, number>): Generator<BlobRequest[]> {
  let batch: BlobRequest[] = [];
  let bytes = 0;
  for (const [id, size] of sizes) {
    if (batch.length > 0 && bytes + size > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ id, size });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function readBatch(output: Buffer, blobs: Map<string, Uint8Array>): void {
  let offset = 0;
  while (offset < output.length) {
    const lineEnd = output.indexOf(0x0a, offset);
    const [id = "", type, size] = output.toString("latin1", offset, lineEnd).split(" ");
    if (type !== "blob") throw new Error(`git cat-file answered "${type}" for a blob`);
    const start = lineEnd + 1;
    const end = start + Number(size);
    blobs.set(id, output.subarray(start, end));
    offset = end + 1;
  }
}

/** Object types, in the order of their names (an id or `commit:path`). Undefined for a missing object. */
export async function objectTypes(workspace: Workspace, names: readonly string[]): Promise<(string | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join("");
  const rows = (await workspace.git(["cat-file", "--batch-check=%(objecttype)"], { input }))
    .toString("utf8")
    .split("\n");
  return names.map((_, index) => (/^(?:blob|tree|commit|tag)$/.test(rows[index] ?? "") ? rows[index] : undefined));
}

interface MissingBlobs {
  readonly ids: ReadonlySet<string>;
  readonly maxBytes: number;
  readonly tooLarge: Error;
}

/** Fetches a tree's wanted blobs that a partial fetch has left out. */
export async function fetchBlobs(workspace: Workspace, tree: string, blobs: MissingBlobs): Promise<void> {
  const missing = await missingBlobs(workspace, tree);
  await fetchBlobsById(workspace, { ...blobs, ids: missing.filter((id) => blobs.ids.has(id)) });
}

/** The ids of a tree's blobs that a partial fetch has left out. */
export async function missingBlobs(workspace: Workspace, tree: string): Promise<string[]> {
  const walk = ["rev-list", "--objects", "--missing=print", "--no-object-names", tree];
  const lines = (await workspace.git(walk, { maxOutputBytes: maxWalkBytes })).toString("utf8").split("\n");
  return lines.filter((line) => line.startsWith("?")).map((line) => line.slice(1));
}

/** Fetches blobs in one request. Throws `tooLarge` when more than `maxBytes` come. */
export async function fetchBlobsById(
  workspace: Workspace,
  { ids, maxBytes, tooLarge }: Omit<MissingBlobs, "ids"> & { readonly ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  // The wanted objects are known by id, so no negotiation is needed.
  const fetch = ["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  const input = ids.map((id) => `${id}\n`).join("");
  await workspace.receive([...fetch, "--filter=blob:none", "--stdin", "origin"], { input, maxBytes, tooLarge });
}

/** Blob sizes in bytes, by id. */
export async function blobSizes(workspace: Workspace, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const input = ids.map((id) => `${id}\n`).join("");
  const rows = (await workspace.git(["cat-file", "--batch-check=%(objecttype) %(objectsize)"], { input }))
    .toString("utf8")
    .split("\n");
  return new Map(
    ids.map((id, index) => {
      const [, size] = /^blob (\d+)$/.exec(rows[index] ?? "") ?? [];
      if (size === undefined) throw new Error(`git has no blob ${id}`);
      return [id, Number(size)];
    }),
  );
}

/** The id that git gives to a blob with these bytes. */
export function blobId(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
