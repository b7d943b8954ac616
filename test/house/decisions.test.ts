import { type Decisions, faultsOf, maxWords, readDecisions, recordsOf, referencesIn } from "./decisions.js";

const chapter = "# Turns\n\nHow processes take turns.\n\n## One turn\n\nDecision: one at a time.\n";
const index = "# Decisions\n\n## [Turns](turns.md)\n\n- [One turn](turns.md#one-turn)\n";
const plantedFaults = (changes: { chapter?: string; index?: string; references?: Decisions["references"] }) =>
  faultsOf({
    records: recordsOf("turns.md", changes.chapter ?? chapter),
    index: changes.index ?? index,
    references: changes.references ?? [],
  });

describe("the decisions", () => {
  it("are short, have unique titles, and stand in the index; references name them", async () => {
    const decisions = await readDecisions();
    expect(decisions.records.length).toBeGreaterThan(300);
    expect(decisions.references.length).toBeGreaterThan(5);
    expect(faultsOf(decisions)).toEqual([]);
  });
});

describe("the rules of decisions", () => {
  it("accept a chapter that keeps them", () => {
    expect(plantedFaults({ references: [{ file: "one.ts", title: "One turn" }] })).toEqual([]);
  });

  it.each<[string, Parameters<typeof plantedFaults>[0], string]>([
    ["a long decision", { chapter: `${chapter}${"word ".repeat(maxWords)}` }, '"One turn" has 157 words'],
    ["no decision", { chapter: chapter.replace("Decision:", "Context:") }, '"One turn" has no decision'],
    [
      "a title twice",
      {
        chapter: `${chapter}\n${chapter.slice(chapter.indexOf("## "))}`,
        index: `${index}- [One turn](turns.md#one-turn)\n`,
      },
      '"One turn" is a title twice',
    ],
    ["a chapter that the index lacks", { index: "# Decisions\n" }, "the index lacks turns.md"],
    [
      "a decision that the index lacks",
      { chapter: `${chapter}\n## Two turns\n\nDecision: two at a time.\n` },
      "the index has nothing in place of [Two turns](turns.md#two-turns)",
    ],
    [
      "a line of the index without a decision",
      { index: `${index}- [Two turns](turns.md#two-turns)\n` },
      "the index has [Two turns](turns.md#two-turns) in place of nothing",
    ],
    [
      "a wrong link",
      { index: index.replace("#one-turn", "#turn") },
      "the index has [One turn](turns.md#turn) in place of [One turn](turns.md#one-turn)",
    ],
    [
      "a reference to no decision",
      { references: [{ file: "one.ts", title: "Two turns" }] },
      'one.ts refers to "Two turns", which does not exist',
    ],
  ])("find %s", (_, changes, fault) => {
    expect(plantedFaults(changes)).toEqual([fault]);
  });

  it("find references in comments of several lines, and several in one", () => {
    expect(referencesIn('/**\n * Waits (decision\n * "One turn").\n */')).toEqual(["One turn"]);
    expect(referencesIn('// see decisions "One turn" and "Two\n// turns"')).toEqual(["One turn", "Two turns"]);
    expect(referencesIn('["a decision", "one.ts"]')).toEqual([]);
  });
});
