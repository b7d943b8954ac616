import { createHash } from "node:crypto";
import type { ObjectFormat, Workspace } from "./workspace.js";

const BATCH_BYTES = 32 * 1024 * 1024;
const HEADER_BYTES = 128;

interface BlobRequest {
  readonly id: string;
  readonly size: number;
}

/** Reads blobs by `cat-file --batch`, each once, a few large batches instead of a process per blob. */
export async function readBlobs(
  workspace: Workspace,
  requests: Iterable<BlobRequest>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const sizes = new Map<string, number>();
  for (const { id, size } of requests) sizes.set(id, size);
  const blobs = new Map<string, Uint8Array>();
  for (const batch of batches(sizes)) {
    const maxOutputBytes = batch.reduce((sum, { size }) => sum + size + HEADER_BYTES, 0);
    const input = batch.map(({ id }) => `${id}\n`).join("");
    readBatch(await workspace.git(["cat-file", "--batch"], { input, maxOutputBytes }), blobs);
  }
  return blobs;
}

function* batches(sizes: ReadonlyMap<string, number>): Generator<BlobRequest[]> {
  let batch: BlobRequest[] = [];
  let bytes = 0;
  for (const [id, size] of sizes) {
    if (batch.length > 0 && bytes + size > BATCH_BYTES) {
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

/** Types of objects by name or `commit:path`; undefined where there is none. */
export async function objectTypes(workspace: Workspace, names: readonly string[]): Promise<(string | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join("");
  const rows = (await workspace.git(["cat-file", "--batch-check=%(objecttype)"], { input }))
    .toString("utf8")
    .split("\n");
  return names.map((_, index) => (/^(?:blob|tree|commit|tag)$/.test(rows[index] ?? "") ? rows[index] : undefined));
}

/** The id git gives to these bytes. */
export function blobId(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
