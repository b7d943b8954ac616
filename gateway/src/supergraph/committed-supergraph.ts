import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The committed supergraph: composed and reviewed before it gets here, so a wrong schema cannot appear at a start. */
export async function readCommittedSupergraph(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve("@factory/schema/supergraph.graphql")), "utf8");
}
