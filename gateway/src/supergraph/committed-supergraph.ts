import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The committed supergraph. It was composed and reviewed in advance, so a start cannot load an invalid schema. */
export async function readCommittedSupergraph(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve("@factory/schema/supergraph.graphql")), "utf8");
}
