import { nearestNames } from "./nearest-names.js";

describe("nearestNames", () => {
  const known = ["Database", "DatabaseName", "Description", "Port", "UseHttps"];

  it.each([
    ["Databse", ["Database"]],
    ["database", ["Database", "DatabaseName"]],
    ["Prot", []],
    ["Pot", ["Port"]],
    ["useHttp", ["UseHttps"]],
    ["Colour", []],
    ["", []],
    ["x".repeat(1000), []],
  ])("of %j are %j", (name, expected) => {
    expect(nearestNames(name, known)).toEqual(expected);
  });

  it("names three at most, the likeliest first", () => {
    expect(nearestNames("Nameds", ["Names", "Named", "Namedsx", "Namedsy", "Namedsz"])).toHaveLength(3);
    expect(nearestNames("Databose", ["Databoses", "Databose"])[0]).toBe("Databose");
  });
});
