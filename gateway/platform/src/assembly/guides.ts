import { readFile } from "node:fs/promises";
import { guideAddress as catalog } from "@factory/catalog/subgraph";
import { guideAddress as integration } from "@factory/integration/subgraph";
import type { Guide } from "@factory/rest-facade/server";
import { guideAddress as spine } from "@factory/spine/subgraph";

const graphql = new URL("../../../GUIDE.md", import.meta.url);
const operating = new URL("../../../OPERATING.md", import.meta.url);

/** The guides that the platform serves at `/docs/guides`, each with its page's name. */
export function readGuides(): Promise<Guide[]> {
  const addresses = { catalog, integration, spine, graphql, operating };
  return Promise.all(
    Object.entries(addresses).map(async ([name, address]) => ({ name, text: await readFile(address, "utf8") })),
  );
}
