import { RenderReport } from "../findings/render-report.js";
import { renderFiles, texts } from "../rendering/template-pack.fixture.js";
import { reportConstraints } from "./constraints.js";

const reportsFor = (constraint: unknown, targetFramework?: string) => {
  const report = new RenderReport();
  reportConstraints({ c: constraint as never }, targetFramework, report);
  return report.warnings.map(({ code }) => code);
};
const sdk = (args: unknown, targetFramework?: string) => reportsFor({ type: "sdk-version", args }, targetFramework);

describe("constraints", () => {
  it.each(["os", "host", "workload", "project-capability"])("%s means nothing here", (type) => {
    expect(reportsFor({ type, args: "x" })).toEqual(["ConstraintIgnored"]);
  });

  it.each([{ type: "weather" }, {}, null, "os", []])("%j is unknown", (constraint) => {
    expect(reportsFor(constraint)).toEqual(["ConstraintUnknown"]);
  });

  it.each<[unknown, string]>([
    ["8.0.*", "net8.0"],
    ["9.0.100", "net8.0"],
    ["9.0.100", "net9.0"],
    ["[6.0,)", "net10.0"],
    ["(6.0.100, 9.0)", "net8.0"],
    ["[8.0.100]", "net8.0"],
    ["*", "net10.0"],
    ["7.*.*-*", "net7.0-windows"],
    [["6.0.*", "8.*"], "net8.0"],
    ["3.1.*", "netcoreapp3.1"],
    ["[6.0, 8.0]", "net8.0"],
    ["8", "net8.0"],
  ])("SDK %j builds for %s", (args, targetFramework) => {
    expect(sdk(args, targetFramework)).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["6.0.*", "net8.0"],
    [["6.0.*", "7.0.*"], "net8.0"],
    ["[6.0, 8.0)", "net8.0"],
    ["(,9.0.100)", "net9.0"],
    ["8.0.099", "net8.0"],
    ["5.0.400", "net6.0"],
  ])("SDK %j does not build for %s", (args, targetFramework) => {
    expect(sdk(args, targetFramework)).toEqual(["ConstraintUnmet"]);
  });

  it.each([undefined, "netstandard2.0", "net48", "net4.8", "x"])("is not compared with %j", (targetFramework) => {
    expect(sdk("8.0.*", targetFramework)).toEqual(["ConstraintIgnored"]);
  });

  it.each([undefined, [], {}, "eight", "[8.0", "(8.0)", ["8.0.*", "x"]])("cannot read %j", (args) => {
    expect(sdk(args, "net8.0")).toEqual(["ConstraintUnreadable"]);
  });

  it("never stop a render", () => {
    const constraints = { os: { type: "os", args: "Windows" }, sdk: { type: "sdk-version", args: "6.0.*" } };
    const result = renderFiles({ constraints }, { "a.txt": "a" }, { targetFramework: "net8.0" });
    expect(texts(result)).toEqual({ "a.txt": "a" });
    expect(result.warnings.map(({ code }) => code)).toEqual(["ConstraintIgnored", "ConstraintUnmet"]);
  });
});

describe("localization", () => {
  it("changes nothing in the result, even when it cannot be read", () => {
    const config = {
      symbols: { P: { type: "parameter", replaces: "P", defaultValue: "x", description: "d" } },
      postActions: [
        { id: "a", actionId: "AC1156F7-BB77-4DB8-B28F-24EEBCCA1E5C", manualInstructions: [{ id: "i", text: "Do" }] },
      ],
    };
    const strings = JSON.stringify({
      name: "N",
      "symbols/P/description": "b",
      "postActions/a/manualInstructions/i/text": "T",
    });
    const plain = renderFiles(config, { "a.txt": "P" });
    const translation = renderFiles(config, {
      "a.txt": "P",
      ".template.config/localize/templatestrings.de.json": strings,
      ".template.config/localize/templatestrings.fr.json": "{ broken",
    });
    expect(translation).toEqual(plain);
  });
});
