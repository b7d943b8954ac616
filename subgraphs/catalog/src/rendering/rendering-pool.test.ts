import { createLogger } from "@factory/runtime/telemetry/logger";
import type { TreeFile } from "../engine/file-tree.js";
import { ensureCompiledWorker } from "./compiled-worker.fixture.js";
import { RenderingPool } from "./rendering-pool.js";

const logger = createLogger("test", "silent");
const quick = { name: "App", fallbackName: "x", parameters: {}, seed: "s", now: new Date(0) };
const endless = { type: "object", properties: { A: { type: "string", pattern: "^(a+)+$" } } };
const longValue = `${"a".repeat(40)}!`;

function pack(config: object, files: Record<string, string> = {}): Map<string, TreeFile> {
  const all = {
    ".template.config/template.json": JSON.stringify({ identity: "a", name: "a", shortName: "a", ...config }),
    ...files,
  };
  return new Map(Object.entries(all).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
}

/** A value form whose expression backtracks for ever on its own default. */
const endlessTemplate = pack(
  {
    symbols: {
      v: {
        type: "parameter",
        datatype: "string",
        defaultValue: longValue,
        replaces: "TOKEN",
        forms: { global: ["evil"] },
      },
    },
    forms: { evil: { identifier: "replace", pattern: "^(a+)+$", replacement: "b" } },
  },
  { "a.txt": "TOKEN" },
);

let pool: RenderingPool;
beforeAll(() => ensureCompiledWorker(), 60_000);
beforeEach(() => {
  pool = new RenderingPool({ size: 1, logger, limits: { renderMs: 700, parametersMs: 300, checksMs: 700 } });
});
afterEach(() => pool.close());

describe("RenderingPool", () => {
  it("renders in a thread and leaves the caller's bytes alone", async () => {
    const files = pack({ sourceName: "Old" }, { "Old.txt": "Old" });
    const result = await pool.render(files, quick);
    expect([...result.files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ["App.txt", "App"],
    ]);
    expect(Buffer.from(files.get("Old.txt")?.bytes ?? []).toString()).toBe("Old");
    expect((await pool.render(files, quick)).primaryOutputs).toEqual([]);
  });

  it("rethrows a template error as one", async () => {
    await expect(pool.render(new Map(), quick)).rejects.toMatchObject({
      name: "TemplateError",
      code: "TEMPLATE_INVALID",
      findings: [{ code: "TemplateConfigMissing" }],
    });
  });

  it("cuts a render that never ends, and renders the next one", async () => {
    const waiting = pool.render(pack({}, { "a.txt": "a" }), quick).catch(() => undefined);
    await expect(pool.render(endlessTemplate, quick)).rejects.toMatchObject({
      name: "DomainError",
      code: "RENDER_TIMEOUT",
    });
    expect((await waiting)?.files.size).toBe(1);
    expect((await pool.render(pack({}, { "a.txt": "a" }), quick)).files.size).toBe(1);
  });

  it("checks parameters, also while a render runs", async () => {
    const rendering = pool.render(endlessTemplate, quick).catch((error: Error) => error);
    expect(await pool.checkParameters({ properties: { A: { default: 1 } } }, {})).toEqual({
      valid: true,
      parameters: { A: 1 },
    });
    expect(await pool.checkParameters({ type: "object", properties: {} }, { A: 1 })).toMatchObject({ valid: false });
    await expect(rendering).resolves.toMatchObject({ code: "RENDER_TIMEOUT" });
  });

  it("cuts a pattern that backtracks for ever", async () => {
    await expect(pool.checkParameters(endless, { A: longValue })).rejects.toMatchObject({
      code: "PARAMETERS_INVALID",
      facts: { detail: expect.stringContaining("pattern") },
    });
    expect(await pool.checkParameters(endless, { A: "aaa" })).toMatchObject({ valid: true });
  });

  it("cuts a schema that multiplies itself", async () => {
    let schema: object = { minimum: 1 };
    for (let level = 0; level < 9; level++) schema = { anyOf: Array.from({ length: 5 }, () => schema) };
    await expect(pool.checkParameters({ properties: { A: schema } }, { A: 0 })).rejects.toMatchObject({
      code: "PARAMETERS_INVALID",
    });
  });

  it("makes a check that was cut a finding", async () => {
    const subject = { parameterSchema: { type: "object" }, targetFramework: "net8.0", checks: ["SampleGeneration"] };
    expect(await pool.runChecks(endlessTemplate, subject)).toMatchObject({
      findings: [{ check: "SampleGeneration", severity: "Error", code: "CheckTimedOut" }],
    });
  });

  it("cuts one check and still makes the others", async () => {
    const evil = { properties: { A: { type: "string", pattern: "^(a+)+$", default: longValue } } };
    const checks = ["StructuralLint", "ParameterSchema"];
    const { findings } = await pool.runChecks(pack({ name: "" }), {
      parameterSchema: evil,
      targetFramework: "net8.0",
      checks,
    });
    expect(findings.map(({ check, code }) => `${check} ${code}`)).toEqual([
      "StructuralLint MissingName",
      "ParameterSchema CheckTimedOut",
    ]);
  });

  it("refuses work after its end and lets go of what waits", async () => {
    const waiting = [1, 2].map(() => pool.render(endlessTemplate, quick).catch((error: Error) => error.message));
    await pool.close();
    expect(await Promise.all(waiting)).toEqual(["The rendering pool is closed.", "The rendering pool is closed."]);
    await expect(pool.checkParameters({}, {})).rejects.toThrow("closed");
  });

  it("gives foreign work no environment", async () => {
    const files = pack(
      { symbols: { v: { type: "bind", binding: "env:PATH", replaces: "TOKEN", defaultValue: "none" } } },
      { "a.txt": "TOKEN" },
    );
    const { files: out } = await pool.render(files, quick);
    expect(Buffer.from(out.get("a.txt")?.bytes ?? []).toString()).not.toContain("/");
  });
});
