import { checkNames } from "../findings/finding-codes.js";
import { runCheck } from "../run-check.js";
import { realisticPacks } from "./realistic-packs.fixture.js";

describe("realistic packs", () => {
  const cases = realisticPacks.flatMap((pack) => checkNames.map((check) => ({ ...pack, check })));

  it.each(cases)("$check finds nothing in $what", async ({ check, files, schema }) => {
    const { findings, samples } = await runCheck(check, files, { parameterSchema: schema, targetFramework: "net8.0" });
    expect(findings).toEqual([]);
    if (check === "SampleGeneration") expect(samples).toBeGreaterThan(3);
  });

  it.each(cases)("$check finds no Error in $what without a schema", async ({ check, files }) => {
    const subject = { parameterSchema: { type: "object" }, targetFramework: "net8.0" };
    const { findings } = await runCheck(check, files, subject);
    expect(findings.filter(({ severity }) => severity === "Error")).toEqual([]);
  });
});
