import { NearestWins } from "@factory/nuget/nearest-wins";
import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import fc from "fast-check";
import { type CatalogSketch, evaluate, inputOf } from "../catalog-sketch.fixture.js";
import type { Edge } from "../evaluation/catalog-library.js";
import { createEvaluationContext } from "../evaluation/evaluation-context.js";

function walked(sketch: CatalogSketch, set: string) {
  const input = inputOf(sketch, set);
  const snapshot = new PackageSnapshot(input.catalog);
  const { graph, listed } = createEvaluationContext(input, snapshot);
  return { graph, snapshot, roots: listed.flatMap(({ release }) => release ?? []) };
}

function byPackage(edges: readonly Edge[]): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>(edges.map(({ key }) => [key, []]));
  for (const edge of edges) groups.get(edge.key)?.push(edge);
  return groups;
}

/** Each link asks for the next one at 2.0 only where it is at 2.0 itself, so every round raises one more. */
function raising(links: number): CatalogSketch {
  const names = Array.from({ length: links }, (_, at) => `C${at}`);
  return {
    A: { versions: { "1.0.0": { needs: Object.fromEntries(names.map((name) => [name, "1.0"])) } } },
    B: { versions: { "1.0.0": { needs: { C0: "2.0" } } } },
    ...Object.fromEntries(
      names.map((name, at) => {
        const needs = at + 1 < links ? { needs: { [`C${at + 1}`]: "2.0" } } : {};
        return [name, { versions: { "1.0.0": {}, "2.0.0": needs } }];
      }),
    ),
  };
}

describe("a set", () => {
  it.each([5, 15, 80])("settles though %i versions raise one another", (links) => {
    const { graph } = walked(raising(links), "A 1.0.0, B 1.0.0");
    expect(graph.unsettled).toEqual([]);
    expect(graph.nodes.get(`c${links - 1}`)?.release?.text).toBe("2.0.0");
  });

  it("that does not settle breaks a rule and is not compatible", () => {
    // each package takes back what made the other move
    const cycle: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { D: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { C: "1.0" } } } },
      C: { versions: { "1.0.0": { needs: { D: "[2.0]" } }, "2.0.0": {} } },
      D: { versions: { "1.0.0": { needs: { C: "(1.0,)" } }, "2.0.0": {} } },
    };
    const { compatible, violations } = evaluate(cycle, "A 1.0.0, B 1.0.0");
    expect(compatible).toBe(false);
    expect(violations).toContainEqual({
      rule: "LibrarySetNotSettled",
      detail: expect.stringMatching(
        /^After \d rounds of resolution the versions of C and D still change one another\. /,
      ),
      suggestedResolution: expect.stringMatching(/./),
      resolution: null,
    });
    expect(evaluate(cycle, "A 1.0.0, B 1.0.0, C 2.0.0").compatible).toBe(true);
  });

  it("that takes too many rounds breaks the same rule", () => {
    expect(evaluate(raising(400), "A 1.0.0, B 1.0.0").violations.map(({ rule }) => rule)).toEqual([
      "LibrarySetNotSettled",
    ]);
  });
});

describe("the search for a nearer dependent", () => {
  /**
   * Layers in which everybody needs everybody in the next one, below one package that asks for X; the whole lowest
   * layer asks for X too.
   */
  function web(width: number, layers: number, packages: number): CatalogSketch {
    const layer = (at: number) => Array.from({ length: width }, (_, index) => `L${at}x${index}`);
    const targets = Array.from({ length: packages }, (_, index) => `X${index}`);
    const dependenciesOn = (minor: number) => Object.fromEntries(targets.map((name) => [name, `1.${minor}`]));
    const needs = (at: number, minor: number) =>
      at + 1 < layers ? Object.fromEntries(layer(at + 1).map((name) => [name, "1.0"])) : dependenciesOn(minor);
    const versions = Object.fromEntries(Array.from({ length: width + 1 }, (_, minor) => [`1.${minor}.0`, {}]));
    return {
      Top: {
        versions: {
          "1.0.0": { needs: { ...Object.fromEntries(layer(0).map((name) => [name, "1.0"])), ...dependenciesOn(0) } },
        },
      },
      Side: { versions: { "1.0.0": { needs: { Top: "1.0" } } } },
      ...Object.fromEntries(
        Array.from({ length: layers }, (_, at) =>
          layer(at).map((name, index) => [name, { versions: { "1.0.0": { needs: needs(at, index + 1) } } }] as const),
        ).flat(),
      ),
      ...Object.fromEntries(targets.map((name) => [name, { versions }])),
    };
  }

  it.each([1, 8])(
    "looks only some times at each dependency of a wide graph, for each of %i contested packages",
    (packages) => {
      const { graph, snapshot, roots } = walked(web(30, 6, packages), "Side 1.0.0");
      let looks = 0;
      const countedEdges = graph.edges.map((edge): Edge => {
        const look = () => {
          looks += 1;
          return edge.from;
        };
        return Object.defineProperty(Object.create(edge) as Edge, "from", { get: look });
      });
      const nearestWins = new NearestWins(roots, byPackage(countedEdges), snapshot);
      const contestedEdges = graph.edges.filter(({ packageName }) => packageName.startsWith("X"));
      const counting = contestedEdges.filter((edge) => nearestWins.nearer(edge) === undefined);
      expect([contestedEdges.length, counting.length]).toEqual([31 * packages, packages]);
      // separate searches for each dependent take thirty times as many lookups
      expect(looks / graph.edges.length).toBeLessThan(3 * packages + 1);
    },
  );

  it("finds the same dependents in separate searches and in one walk", () => {
    const name = fc.constantFrom("A", "B", "C", "D", "E", "F", "G");
    const needs = fc.dictionary(name, fc.constantFrom("1.0", "2.0", "[1.0]", "(1.0,)"), { maxKeys: 4 });
    const library = fc.record({
      versions: fc.record({ "1.0.0": fc.record({ needs }), "2.0.0": fc.record({ needs }) }),
    });
    const sketch = fc.dictionary(name, library, { minKeys: 5, maxKeys: 7 });
    let exhaustedCount = 0;
    fc.assert(
      fc.property(sketch, (catalog) => {
        const { graph, snapshot, roots } = walked(catalog, "A 1.0.0, B 1.0.0");
        const asking = byPackage(graph.edges);
        const together = new NearestWins(roots, asking, snapshot);
        for (let time = 0; time < 5; time += 1)
          for (const edge of graph.edges) {
            const alone = new NearestWins(roots, asking, snapshot).nearer(edge);
            expect(together.nearer(edge) === undefined).toBe(alone === undefined);
            if (alone !== undefined) exhaustedCount += 1;
          }
      }),
      { numRuns: 300 },
    );
    expect(exhaustedCount).toBeGreaterThan(100);
  });
});
