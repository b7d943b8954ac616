import { ChoiceNames } from "./choice-values.js";
import { typedValue, type ValueRules } from "./parameter-values.js";

const choicesOf = (...names: string[]) => names.map((choice) => ({ choice, displayName: null, description: null }));

describe("the choices of a symbol", () => {
  const names = new ChoiceNames(choicesOf("net8.0", "net9.0-windows", "net9.0", "NET8.0", "S", "ſ", "𐐨x"));

  it.each([
    ["NET8.0", "net8.0"],
    ["net8", "net8.0"],
    ["net9.0", "net9.0"],
    ["Net9.0-", "net9.0-windows"],
    ["net9", undefined],
    ["net9.0-windows-x", undefined],
    ["s", "S"],
    ["ſ", "ſ"],
    ["𐐀", "𐐨x"],
    ["\ud801", "𐐨x"],
    ["zz", undefined],
    ["", ""],
  ])("are named in any case or by a unique beginning: %j is %j", (text, choice) => {
    expect(names.find(text)).toBe(choice);
  });

  it("are listed in their order by a beginning", () => {
    expect(names.beginningWith("NET9")).toEqual(["net9.0-windows", "net9.0"]);
  });

  it("name the only one by an empty text", () => {
    expect(new ChoiceNames(choicesOf("A", "a")).find("")).toBe("A");
    expect(new ChoiceNames([]).find("")).toBe("");
  });

  it("are read once, however many parts a value has", () => {
    let reads = 0;
    const count = 30_000;
    const choices = Array.from({ length: count }, (_, at) => ({
      displayName: null,
      description: null,
      get choice() {
        reads += 1;
        return `${at}.`;
      },
    }));
    const symbol: ValueRules = {
      datatype: "choice",
      infersType: false,
      choices,
      allowMultipleValues: true,
      defaultValue: null,
      defaultIfOptionWithoutValue: null,
      isRequired: false,
      replaces: null,
    };
    const parts = Array.from({ length: 200_000 }, (_, at) => `${at % count}.`);
    expect(typedValue(symbol, parts.join("|"))).toMatchObject({ values: { length: count } });
    expect(typedValue(symbol, `${parts.join(",")}|no`)).toBeUndefined();
    expect(reads).toBe(count);
  });
});
