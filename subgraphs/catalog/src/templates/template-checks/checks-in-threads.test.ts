import { createLogger } from "@factory/runtime/telemetry/logger";
import { ensureCompiledWorker } from "../../executions/template-worker/compiled-worker.fixture.js";
import { templateWorkerUrl } from "../../executions/template-worker/template-worker-url.js";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { TemplateChecker } from "../validations/template-checker.js";
import { checkNames } from "./findings/finding-codes.js";
import { maxYamlLength } from "./output/yaml-fault.js";
import { realisticPacks } from "./realistic-packs/realistic-packs.fixture.js";
import { pack } from "./structural-lint/lint-pack.fixture.js";

const workers = new WorkerPool({ entry: templateWorkerUrl, size: 1, logger: createLogger("test", "silent") });
/** A starved machine exceeds the usual limit with work that ends. */
const checker = new TemplateChecker(workers, 180_000);
beforeAll(() => ensureCompiledWorker());
afterAll(() => workers.close());

describe("checks in their threads", () => {
  it("end slow patterns themselves, long before the limit of the checks", async () => {
    const forms = { slow: { identifier: "replace", pattern: "^(a+)+$", replacement: "" } };
    const { findings } = await checker.runChecks(pack({ forms }), {
      parameterSchema: { properties: { A: { type: "string", pattern: "^(a+)+$", default: "a".repeat(60) } } },
      targetFramework: "net8.0",
      checks: ["StructuralLint", "ParameterSchema"],
    });
    expect(findings.map(({ code }) => code)).toEqual(["RegexTooSlow", "PatternTooSlow", "PropertyWithoutSymbol"]);
  });

  it("read hostile YAML within their memory and time", async () => {
    const fill = (part: string) => part.repeat(Math.floor(maxYamlLength / part.length));
    const hostile = { "a.yml": fill("["), "b.yml": fill("{a: "), "c.yml": fill("&a "), "d.yml": fill("'' ") };
    const subject = { parameterSchema: {}, targetFramework: "net8.0", checks: ["SampleGeneration"] };
    const { findings } = await checker.runChecks(pack({}, hostile), subject);
    expect(findings.map(({ code, path }) => [code, path])).toEqual(
      Object.keys(hostile).map((path) => ["NotWellFormed", path]),
    );
  });

  it("take all realistic packs", async () => {
    for (const { files, schema } of realisticPacks) {
      const subject = { parameterSchema: schema, targetFramework: "net8.0", checks: checkNames };
      expect(await checker.runChecks(files, subject)).toMatchObject({ findings: [], samples: expect.any(Number) });
    }
  });
});
