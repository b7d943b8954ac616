import { randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ReceivedPack } from "../bare/push-staging.js";
import {
  insertChunk,
  insertPack,
  insertUploadedChunk,
  insertUploadedPack,
  keepPack,
  selectChunk,
} from "./repository-statement.js";

const chunkBytes = 1024 * 1024;

/** A pack whose bytes are stored, or are at hand to be stored with the push. */
export interface PackForRows {
  readonly packId: string;
  readonly checksum: string;
  readonly bytes: number;
  /** A small pack's whole content, which the push's transaction stores. Undefined: it was uploaded. */
  readonly content: Buffer | undefined;
}

/**
 * Prepares a pack for its push's transaction, which must not read files. A large pack's chunks are stored before, each
 * by its own transaction, and expire unless the push is acknowledged.
 */
export async function preparePack(
  database: Database,
  tenant: Tenant,
  { repositoryId, pack: { file, checksum, bytes } }: { repositoryId: string; pack: ReceivedPack },
): Promise<PackForRows> {
  const packId = randomUUID();
  const handle = await open(file, "r");
  try {
    if (bytes <= chunkBytes) return { packId, checksum, bytes, content: await readChunk(handle, 0, bytes) };
    const cause = { trace: continueTrace(undefined) };
    await database.transaction(tenant, cause, ({ execute }) =>
      execute(insertUploadedPack, [tenant.uuid, packId, repositoryId, checksum, bytes]),
    );
    for (let position = 0; position * chunkBytes < bytes; position += 1) {
      const content = await readChunk(handle, position, bytes);
      await database.transaction(tenant, cause, ({ execute }) =>
        execute(insertUploadedChunk, [tenant.uuid, packId, position, content]),
      );
    }
    return { packId, checksum, bytes, content: undefined };
  } finally {
    await handle.close();
  }
}

/** Makes a prepared pack part of its repository. Throws when the pack has expired meanwhile. */
export async function keepPreparedPack(
  { execute, tenant }: Transaction,
  repositoryId: string,
  { packId, checksum, bytes, content }: PackForRows,
): Promise<void> {
  if (content) {
    await execute(insertPack, [tenant.uuid, packId, repositoryId, checksum, bytes]);
    await execute(insertChunk, [tenant.uuid, packId, 0, content]);
    return;
  }
  const keptRows = await execute(keepPack, [tenant.uuid, packId]);
  if (keptRows.length === 0) throw new Error(`The upload of the pack ${checksum} took more than an hour`);
}

/** A stored pack is missing a chunk: it was merged into another pack, and has expired. */
export class PackGone extends Error {
  override readonly name = "PackGone";
}

/** Writes a stored pack's chunks into a file. Throws PackGone. */
export async function downloadPack(
  reader: TenantReader,
  tenant: Tenant,
  { packId, bytes, file }: { packId: string; bytes: number; file: string },
): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    for (let position = 0; position * chunkBytes < bytes; position += 1) {
      const [chunk] = await reader.rows<{ content: Buffer }>(selectChunk, tenant, packId, position);
      if (!chunk) throw new PackGone(`The pack ${packId} has no chunk ${position}`);
      await handle.writeFile(chunk.content);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readChunk(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const start = position * chunkBytes;
  const content = Buffer.alloc(Math.min(chunkBytes, bytes - start));
  const { bytesRead } = await handle.read(content, 0, content.length, start);
  if (bytesRead !== content.length) throw new Error("A received pack is shorter than its size");
  return content;
}
