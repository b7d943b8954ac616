import { execFile } from "node:child_process";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import { ensureCompiled } from "../threads/compiled-worker.fixture.js";
import { logChildOutput } from "./foreign-output.js";
import { keepingLogger } from "./logged-lines.fixture.js";

const workspace = fileURLToPath(new URL("../..", import.meta.url));

beforeAll(() => ensureCompiled(workspace, { entry: "telemetry/foreign-output.js", sources: "telemetry/*.ts" }));

it("makes a line of the log of whatever a library prints", async () => {
  const from = (name: string) => JSON.stringify(new URL(`../../dist/telemetry/${name}.js`, import.meta.url).href);
  const program = `
    import { logForeignOutput } from ${from("foreign-output")};
    import { createLogger } from ${from("logger")};
    const held = console;
    logForeignOutput(createLogger("test", "debug"));
    held.log(new Error("bad idn-hostname"));
    held.error("protocol error\\nin two lines");
    console.warn("x".repeat(5000));
    console.table([{ a: 1 }]);
    process.emitWarning("old", "DeprecationWarning");
    process.emit("deprecation", new Error("older"));
    setTimeout(() => {}, 10);`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  expect(stdout).toBe("");
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { level: number; text?: string; err?: { message: string } });
  const texts = lines.map(({ level, text, err }) => [level, (text ?? err?.message ?? "").slice(0, 30)]);
  expect(texts).toEqual([
    [20, expect.stringMatching(/^Error: bad idn-hostname\n/)],
    [40, "protocol error\nin two lines"],
    [40, "x".repeat(30)],
    [20, expect.stringContaining("┌")],
    [20, "older"],
    [40, "old"],
  ]);
  expect(lines[2]?.text).toHaveLength(2000);
});

it("passes a child's own log on and tells what else it writes", async () => {
  const lines: string[] = [];
  const writtenLines: string[] = [];
  const spy = jest.spyOn(process.stderr, "write").mockImplementation((text) => writtenLines.push(String(text)) > 0);
  const output = Readable.from(['{"level":30,"msg":"own"}\n', "<--- Last few GCs --->\n\n{broken\n"]);
  logChildOutput(output, keepingLogger(lines));
  await new Promise((resolve) => output.once("close", () => setImmediate(resolve)));
  spy.mockRestore();
  expect(writtenLines).toEqual(['{"level":30,"msg":"own"}\n']);
  expect(lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual([
    "<--- Last few GCs --->",
    "{broken",
  ]);
});
