import { pushedRepositories } from "@factory/catalog/pushed-repositories";
import { storedReports } from "@factory/spine/stored-reports";
import type { ClientBase } from "pg";
import type { SharedFolder } from "../settings/platform-folders.js";

/** The things that the database expects in a folder. */
export interface FolderContent {
  /** The plural noun for them. */
  readonly kind: string;
  readonly expected: number;
  readonly missing: number;
  /** The first missing ones, each as a line for the operator. */
  readonly examples: readonly string[];
  /** The effect that a missing folder has, as a sentence. */
  readonly effect: string;
}

const maxExamples = 20;

/** Compares a folder with the database. The client must see all tenants' rows. */
export async function folderContent(client: ClientBase, { setting, path }: SharedFolder): Promise<FolderContent> {
  if (setting === "FILES_DIR")
    return {
      kind: "report contents",
      effect: "A download of a missing content answers 503 until the report is generated again.",
      ...(await counted(storedReports(client, path), ({ tenantId, reportRunId }) => `${reportRunId} of ${tenantId}`)),
    };
  return {
    kind: "repositories",
    effect: "The next push to a missing repository begins with an empty one, and its former commits are lost.",
    ...(await counted(
      pushedRepositories(client, path),
      ({ tenantId, owner, name }) => `${owner}/${name} of ${tenantId}`,
    )),
  };
}

async function counted<Thing extends { readonly isPresent: boolean }>(
  things: AsyncIterable<Thing>,
  line: (thing: Thing) => string,
): Promise<Pick<FolderContent, "expected" | "missing" | "examples">> {
  let [expectedCount, missing] = [0, 0];
  const examples: string[] = [];
  for await (const thing of things) {
    expectedCount += 1;
    if (thing.isPresent) continue;
    missing += 1;
    if (examples.length < maxExamples) examples.push(line(thing));
  }
  return { expected: expectedCount, missing, examples };
}
