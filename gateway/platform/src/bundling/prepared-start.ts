import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { PreparedSupergraph } from "@factory/gateway/supergraph/prepared-supergraph";
import type { SubgraphName } from "@factory/schema/subgraph-names";

/** The results that every start needs while the code is the same, and that the build has computed once. */
export interface PreparedStart {
  readonly supergraph: PreparedSupergraph | undefined;
  readonly subgraphSdls: Readonly<Record<SubgraphName, string>>;
}

const fileIn = (folder: string) => join(folder, "prepared-start.bin");

export async function writePreparedStart(folder: string, preparedStart: PreparedStart): Promise<void> {
  await writeFile(fileIn(folder), serialize(preparedStart));
}

/** Reads the file that belongs to the bundle in this folder. */
export async function readPreparedStart(folder: string): Promise<PreparedStart> {
  return deserialize(await readFile(fileIn(folder))) as PreparedStart;
}
