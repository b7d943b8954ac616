import { trackedFiles } from "../house/tracked-files.js";
import { candidatesIn, isProduct } from "./candidates.js";
import { boundaries, noRefusal } from "./edits.js";
import type { Edit } from "./fault.js";
import { rules } from "./rules.js";

const candidates = (text: string, ...edits: Edit[]) =>
  candidatesIn({ rule: "a rule", files: /./, edits }, "a.ts", text).map(({ find, replace }) => [find, replace]);

describe("the candidates of a rule", () => {
  it("are the lines in which an edit changes something", () => {
    expect(candidates("const a = 1;\nif (b >= 2) throw c;\n", ...boundaries, ...noRefusal)).toEqual([
      ["if (b >= 2) throw c;", "if ((b >= 2) && Date.now() < 0) throw c;"],
      ["if (b >= 2) throw c;", "if (b > 2) throw c;"],
    ]);
    expect(candidates("if (a > b) c();", ...boundaries)).toEqual([["if (a > b) c();", "if (a >= b) c();"]]);
  });

  it("have a text that occurs once, with lines before it where they are needed", () => {
    expect(candidates("one();\nif (a >= 1) b();\ntwo();\nif (a >= 1) b();\n", ...boundaries)).toEqual([
      ["one();\nif (a >= 1) b();", "one();\nif (a > 1) b();"],
      ["two();\nif (a >= 1) b();", "two();\nif (a > 1) b();"],
    ]);
  });

  it("are not in comments", () => {
    expect(candidates("/** a >= b */\n * c >= d\nlet e; // f >= g\n", ...boundaries)).toEqual([]);
  });

  it("have a file for each rule", () => {
    const files = trackedFiles().filter(isProduct);
    expect(rules.filter((rule) => !files.some((file) => rule.files.test(file))).map(({ rule }) => rule)).toEqual([]);
  });

  it("are in sources of the product", () => {
    const files = ["subgraphs/a/src/b.ts", "schema/events/A.schema.json", "subgraphs/a/src/b.test.ts", "test/kit/a.ts"];
    expect(files.filter(isProduct)).toEqual(files.slice(0, 2));
  });
});

describe("the rules", () => {
  it("have names of their own", () => {
    const names = rules.map(({ rule }) => rule);
    expect(names.length).toBeGreaterThanOrEqual(30);
    expect(new Set(names).size).toBe(names.length);
  });
});
