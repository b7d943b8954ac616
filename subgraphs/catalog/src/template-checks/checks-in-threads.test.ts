import { createLogger } from "@factory/runtime/telemetry/logger";
import { ensureCompiledWorker } from "../../template-worker/compiled-worker.fixture.js";
import { RenderingPool } from "../../worker-pool/worker-pool.js";
import { checkNames } from "./finding-codes.js";
import { pack } from "./lint-pack.fixture.js";
import { realisticPacks } from "./realistic-packs.fixture.js";

const pool = new RenderingPool({ size: 1, logger: createLogger("test", "silent") });
beforeAll(() => ensureCompiledWorker());
afterAll(() => pool.close());

describe("checks in their threads", () => {
  it("end slow patterns themselves, long before the limit of the checks", async () => {
    const forms = { slow: { identifier: "replace", pattern: "^(a+)+$", replacement: "" } };
    const { findings } = await pool.runChecks(pack({ forms }), {
      parameterSchema: { properties: { A: { type: "string", pattern: "^(a+)+$", default: "a".repeat(60) } } },
      targetFramework: "net8.0",
      checks: ["StructuralLint", "ParameterSchema"],
    });
    expect(findings.map(({ code }) => code)).toEqual(["RegexTooSlow", "PatternTooSlow", "PropertyWithoutSymbol"]);
  });

  it("take all realistic packs", async () => {
    for (const { files, schema } of realisticPacks) {
      const subject = { parameterSchema: schema, targetFramework: "net8.0", checks: checkNames };
      expect(await pool.runChecks(files, subject)).toMatchObject({ findings: [], samples: expect.any(Number) });
    }
  });
});
