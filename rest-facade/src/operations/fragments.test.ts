import { readFileSync } from "node:fs";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import { type DocumentNode, Kind, parse, print, validate, visit } from "graphql";
import { areas } from "../routes/route-tables.js";
import { fragmentsFolder, loadFragment, withFragments } from "./fragments.js";
import { operationsFolder, readGraph } from "./load-operation.js";

const names = trackedFilesIn(fragmentsFolder).map((file) => file.replace(/\.graphql$/, ""));
const writtenFiles = areas.flatMap((area) =>
  trackedFilesIn(new URL(`${area}/`, operationsFolder)).map((file) => `${area}/${file}`),
);
const documentOf = (file: string) => parse(readFileSync(new URL(file, operationsFolder), "utf8"), { noLocation: true });

/** The fragment names that a document spreads, each once. */
function spreadsIn(document: DocumentNode): string[] {
  const spreads = new Set<string>();
  visit(document, { FragmentSpread: ({ name }) => void spreads.add(name.value) });
  return [...spreads];
}

/** A document's fragments, with those inside fragments. */
function fragmentsOf(document: DocumentNode): string[] {
  const ownNames = spreadsIn(document);
  const inner = ownNames.flatMap((name) => fragmentsOf({ kind: Kind.DOCUMENT, definitions: [loadFragment(name)] }));
  return [...new Set([...ownNames, ...inner])];
}

describe("the fragments of the REST documents", () => {
  it("are each used by two documents at least", () => {
    const uses = [...writtenFiles.map(documentOf), ...names.map((name) => documentOf(`fragments/${name}.graphql`))];
    const useCounts = names.map((name) => [name, uses.filter((document) => spreadsIn(document).includes(name)).length]);
    expect(names.length).toBeGreaterThan(10);
    expect(useCounts.filter(([, count]) => Number(count) < 2)).toEqual([]);
  });

  it("fit the types on which documents spread them", () => {
    const graph = readGraph(readFileSync(new URL("../../../schema/supergraph.graphql", import.meta.url), "utf8"));
    const faults = writtenFiles.flatMap((file) => {
      const document = documentOf(file);
      const definitions = [...document.definitions, ...fragmentsOf(document).map(loadFragment)];
      return validate(graph, { kind: Kind.DOCUMENT, definitions }).map(({ message }) => `${file}: ${message}`);
    });
    expect(faults).toEqual([]);
  });

  it("stand in the place of their spread, also inside other ones", () => {
    const { selectionSet } = loadFragment("webhookSubscription");
    const text = print(withFragments(selectionSet));
    expect(text).not.toContain("...");
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "handshake { status attempts nextAttemptAt detail allowedPerMinute }",
    );
  });

  it("must have the name of their file", () => {
    expect(() => loadFragment("none")).toThrow("none.graphql");
  });
});
