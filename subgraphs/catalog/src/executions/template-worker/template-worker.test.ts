import { createLogger } from "@factory/runtime/telemetry/logger";
import type { TreeFile } from "@factory/template-engine/file-tree";
import { ParameterChecker } from "../../templates/parameters/parameter-checker.js";
import { TemplateChecker } from "../../templates/validations/template-checker.js";
import { TemplateRenderer } from "../../workers/rendering/template-renderer.js";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { ensureCompiledWorker } from "./compiled-worker.fixture.js";
import { templateWorkerUrl } from "./template-worker-url.js";

/** The log messages about processes that were ended or lost. */
const lossMessages: string[] = [];
const logger = createLogger("test", "silent");
logger.warn = (...parts: unknown[]) => void lossMessages.push(String(parts.at(-1)));
logger.error = logger.warn;
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

/** Makes two texts of 560 MB: in a worker thread such an allocation ends the whole process. */
const growing = {
  type: "generated",
  generator: "regex",
  parameters: {
    source: "v",
    steps: [
      { regex: ".", replacement: "$_" },
      { regex: ".{57000}", replacement: "$_" },
    ],
  },
};
const ravenous = pack({
  symbols: { v: { type: "parameter", defaultValue: "\u0100".repeat(2000) }, g: growing, h: growing },
});
const small = pack({}, { "a.txt": "a" });

/** Expressions are not ended by themselves, so that the process limits are reached. */
const wideLimits = { evaluationMs: 100_000, totalMs: 100_000 };

/** Longer than a starved machine takes for any work that ends. */
const patientMs = 100_000;
/** Only for work that never ends by itself. */
const briefMs = 500;

let pool: WorkerPool;
let renderer: TemplateRenderer;
let briefRenderer: TemplateRenderer;
let parameterChecker: ParameterChecker;
let briefParameterChecker: ParameterChecker;

let isOpen = false;

beforeAll(() => ensureCompiledWorker());
beforeEach(() => {
  lossMessages.length = 0;
  if (isOpen) return;
  isOpen = true;
  pool = new WorkerPool({ entry: templateWorkerUrl, size: 2, logger });
  renderer = new TemplateRenderer(pool, { renderMs: patientMs, patterns: wideLimits });
  briefRenderer = new TemplateRenderer(pool, { renderMs: briefMs, patterns: wideLimits });
  parameterChecker = new ParameterChecker(pool, patientMs);
  briefParameterChecker = new ParameterChecker(pool, briefMs);
});
afterAll(() => pool.close());

/** The next test gets another pool. */
async function closePool(): Promise<void> {
  isOpen = false;
  await pool.close();
}

describe("worker processes of the catalog", () => {
  it("renders in a process and leaves the caller's bytes alone", async () => {
    const files = pack({ sourceName: "Old" }, { "Old.txt": "Old" });
    const result = await renderer.render(files, quick);
    expect([...result.files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ["App.txt", "App"],
    ]);
    expect(Buffer.from(files.get("Old.txt")?.bytes ?? []).toString()).toBe("Old");
    expect((await renderer.render(files, quick)).primaryOutputs).toEqual([]);
  });

  it("rethrows a template error as one", async () => {
    await expect(renderer.render(new Map(), quick)).rejects.toMatchObject({
      name: "TemplateError",
      code: "TEMPLATE_INVALID",
      findings: [{ code: "TemplateConfigMissing" }],
    });
  });

  it("cuts a render that never ends, and renders the next one", async () => {
    const waiting = renderer.render(pack({}, { "a.txt": "a" }), quick).catch(() => undefined);
    await expect(briefRenderer.render(endlessTemplate, quick)).rejects.toMatchObject({
      name: "DomainError",
      code: "RENDER_TIMEOUT",
    });
    expect((await waiting)?.files.size).toBe(1);
    expect((await renderer.render(pack({}, { "a.txt": "a" }), quick)).files.size).toBe(1);
  });

  it("checks parameters, also while a render runs", async () => {
    const caller = new AbortController();
    const rendering = renderer
      .render(endlessTemplate, quick, { tenantId: "slow", signal: caller.signal })
      .catch((error: Error) => error.message);
    expect(
      await parameterChecker.checkParameters({ schema: { properties: { A: { default: 1 } } }, parameters: {} }),
    ).toEqual({
      valid: true,
      parameters: { A: 1 },
    });
    expect(
      await parameterChecker.checkParameters({ schema: { type: "object", properties: {} }, parameters: { A: 1 } }),
    ).toMatchObject({ valid: false });
    // it was still running
    caller.abort(new Error("given up"));
    expect(await rendering).toBe("given up");
  });

  it("judges schemas, and gives up one that takes too long", async () => {
    expect(await parameterChecker.schemaFault({ type: "object" })).toBeUndefined();
    expect(await parameterChecker.schemaFault({ type: "nope" })).toMatchObject({ pointer: "/type" });
    const levels = Array.from({ length: 28 }, (_, at) => [
      `l${at}`,
      { allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
    ]);
    const endlessSchema = { $ref: "#/$defs/l0", $defs: { ...Object.fromEntries(levels), l28: {} } };
    expect(await briefParameterChecker.schemaFault(endlessSchema)).toMatchObject({
      detail: expect.stringMatching(/took|ended/),
    });
    expect(await parameterChecker.schemaFault({ type: "object" })).toBeUndefined();
  });

  it("refuses parameters on which a pattern backtracks for ever, and names it", async () => {
    expect(await parameterChecker.checkParameters({ schema: endless, parameters: { A: longValue } })).toMatchObject({
      valid: false,
      errors: [{ pointer: "/A", keyword: "pattern", detail: expect.stringContaining("/properties/A/pattern") }],
    });
    expect(await parameterChecker.checkParameters({ schema: endless, parameters: { A: "aaa" } })).toMatchObject({
      valid: true,
    });
  });

  it("ends an expression inside the process, which goes on", async () => {
    const patterns = { evaluationMs: 100, totalMs: 500 };
    const limiting = new TemplateRenderer(pool, { renderMs: patientMs, patterns });
    const failures = await Promise.all(
      [1, 2, 3].map(() => limiting.render(endlessTemplate, quick).catch((error: unknown) => error)),
    );
    for (const failure of failures)
      expect(failure).toMatchObject({
        name: "TemplateError",
        code: "RENDER_FAILED",
        message: expect.stringContaining("/forms/evil/pattern"),
        findings: [{ code: "RegexTooSlow", pointer: "/forms/evil/pattern" }],
      });
    expect((await limiting.render(small, quick)).files.size).toBe(1);
    expect(lossMessages).toEqual([]);
  });

  it("renders for one tenant while another one's endless renders run and wait", async () => {
    let endedCount = 0;
    const hostile = Array.from({ length: 16 }, () =>
      renderer
        .render(endlessTemplate, quick, { tenantId: "hostile" })
        .catch(() => undefined)
        .finally(() => endedCount++),
    );
    for (let round = 1; round <= 3; round++) {
      expect((await renderer.render(small, quick, { tenantId: "neighbour" })).files.size).toBe(1);
      expect(
        await parameterChecker.checkParameters({ schema: {}, parameters: {} }, { tenantId: "neighbour" }),
      ).toMatchObject({
        valid: true,
      });
    }
    expect(endedCount).toBe(0);
    await closePool();
    await Promise.all(hostile);
  });

  it("leaves the renders of others alone when one takes all memory", async () => {
    const neighbour = new AbortController();
    const rendering = renderer
      .render(endlessTemplate, quick, { tenantId: "neighbour", signal: neighbour.signal })
      .catch((error: Error) => error.message);
    await expect(renderer.render(ravenous, quick, { tenantId: "hostile" })).rejects.toMatchObject({
      code: "RENDER_FAILED",
      message: "The render of the template needs too much memory.",
    });
    expect((await renderer.render(small, quick, { tenantId: "third" })).files.size).toBe(1);
    // it was still running
    neighbour.abort(new Error("given up"));
    expect(await rendering).toBe("given up");
  });

  it("cuts a schema that multiplies itself", async () => {
    let schema: object = { minimum: 1 };
    for (let level = 0; level < 9; level++) schema = { anyOf: Array.from({ length: 5 }, () => schema) };
    await expect(
      briefParameterChecker.checkParameters({ schema: { properties: { A: schema } }, parameters: { A: 0 } }),
    ).rejects.toMatchObject({
      code: "PARAMETERS_INVALID",
    });
  });

  it("makes a check that was cut a finding", async () => {
    const subject = { parameterSchema: { type: "object" }, targetFramework: "net8.0", checks: ["SampleGeneration"] };
    expect(await new TemplateChecker(pool, briefMs).runChecks(endlessTemplate, subject)).toMatchObject({
      findings: [{ check: "SampleGeneration", severity: "Error", code: "CheckTimedOut" }],
    });
  });

  it("cuts one check and still makes the others", async () => {
    // the check tries each pattern for 750 ms
    const evil = Array.from({ length: 10 }, (_, at) => [`A${at}`, { type: "string", pattern: "^(a+)+$" }]);
    const subject = { parameterSchema: { properties: Object.fromEntries(evil) }, targetFramework: "net8.0" };
    const nameless = pack({ name: "" });
    // the first lint loads what it needs, so that the second one leaves most of the time to the other check
    await new TemplateChecker(pool, patientMs).runChecks(nameless, { ...subject, checks: ["StructuralLint"] });
    const checker = new TemplateChecker(pool, 3000);
    const { findings } = await checker.runChecks(nameless, {
      ...subject,
      checks: ["StructuralLint", "ParameterSchema"],
    });
    expect(findings.map(({ check, code }) => `${check} ${code}`)).toEqual([
      "StructuralLint MissingName",
      "ParameterSchema CheckTimedOut",
    ]);
  });

  it("refuses work after its end and lets go of what waits", async () => {
    const waiting = [1, 2].map(() => renderer.render(endlessTemplate, quick).catch((error: Error) => error.message));
    await closePool();
    expect(await Promise.all(waiting)).toEqual(["The worker pool is closed.", "The worker pool is closed."]);
    await expect(parameterChecker.checkParameters({ schema: {}, parameters: {} })).rejects.toThrow("closed");
  });

  it("gives foreign work no environment", async () => {
    const files = pack(
      { symbols: { v: { type: "bind", binding: "env:PATH", replaces: "TOKEN", defaultValue: "none" } } },
      { "a.txt": "TOKEN" },
    );
    const { files: out } = await renderer.render(files, quick);
    expect(Buffer.from(out.get("a.txt")?.bytes ?? []).toString()).not.toContain("/");
  });
});
