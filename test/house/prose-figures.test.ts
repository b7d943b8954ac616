import { bindingsOf, ofsIn, proseFigures } from "./prose-figures.js";

const goal = { ofs: 20, participles: 1.5 };

describe("comments and bindings", () => {
  it.each([
    "gateway/",
    "rest-facade/",
    "schema/",
    "subgraphs/catalog/",
    "subgraphs/integration/",
    "subgraphs/runtime/",
    "subgraphs/spine/",
    "test/",
  ])("name their nouns in %s", async (prefix) => {
    const { words, ofs, chains, bindings, participles } = await proseFigures(prefix);
    expect(words).toBeGreaterThan(1000);
    expect(bindings).toBeGreaterThan(150);
    expect(chains).toEqual([]);
    expect([ofs > goal.ofs, participles > goal.participles, { ofs, participles }]).toEqual([
      ...[false, false],
      expect.anything(),
    ]);
  });

  it.each([
    ["the answer of a call of a model", 2, 1],
    ["the end of the list. A copy of the very long first row of it", 3, 0],
    ["the model's answer", 0, 0],
  ])('are counted in "%s"', (text, ofs, chains) => {
    expect(ofsIn(text)).toEqual({ ofs, chains });
  });

  it("are found as variables and parameters, and not as members", () => {
    const source = `
      const known = 1;
      const { found, given: own, list: [one] } = x;
      function f(asked: string, { held }: T, ...rest: U[]) {}
      const g = async (wanted = 1) => wanted;`;
    expect(bindingsOf("a.ts", source)).toEqual(["known", "own", "one", "asked", "rest", "g", "wanted"]);
  });
});
