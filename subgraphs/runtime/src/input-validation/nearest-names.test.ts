import { nearestNames } from "./nearest-names.js";

describe("nearestNames", () => {
  const knownNames = ["Database", "DatabaseName", "Description", "Port", "UseHttps"];

  it.each([
    ["Databse", ["Database"]],
    ["database", ["Database", "DatabaseName"]],
    ["Prot", []],
    ["Pot", ["Port"]],
    ["useHttp", ["UseHttps"]],
    ["Colour", []],
    ["", []],
    ["x".repeat(1000), []],
  ])("of %j are %j", (name, expectedNames) => {
    expect(nearestNames(name, knownNames)).toEqual(expectedNames);
  });

  it("names three at most, the likeliest first", () => {
    expect(nearestNames("Nameds", ["Names", "Named", "Namedsx", "Namedsy", "Namedsz"])).toHaveLength(3);
    expect(nearestNames("Databose", ["Databoses", "Databose"])[0]).toBe("Databose");
  });
});
