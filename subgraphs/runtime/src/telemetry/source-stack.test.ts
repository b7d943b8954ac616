import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "@swc/core";
import { sourceStack } from "./source-stack.js";

describe("sourceStack", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "source-stack-"));
    await mkdir(join(folder, "dist"));
    await mkdir(join(folder, "node_modules/other/dist"), { recursive: true });
    const source = [
      "interface Unused {",
      "  one: string;",
      "}",
      "",
      "export function fail(): never {",
      '  throw new Error("broken");',
      "}",
      "",
    ].join("\n");
    const { code, map = "" } = await transform(source, {
      filename: join(folder, "src/fail.ts"),
      sourceMaps: true,
      swcrc: false,
      jsc: { target: "es2023", parser: { syntax: "typescript" } },
    });
    const relative = { ...(JSON.parse(map) as object), sources: ["../src/fail.ts"] };
    await writeFile(join(folder, "dist/fail.js"), code);
    await writeFile(join(folder, "dist/fail.js.map"), JSON.stringify(relative));
    await writeFile(join(folder, "node_modules/other/dist/fail.js.map"), JSON.stringify(relative));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("names the line of the TypeScript source", () => {
    const compiledUrl = pathToFileURL(join(folder, "dist/fail.js")).href;
    const stack = `Error: broken\n    at fail (${compiledUrl}:2:11)\n    at node:internal/main:1:1`;
    const source = pathToFileURL(join(folder, "src/fail.ts")).href;
    expect(sourceStack(stack, pathToFileURL(`${folder}/`))).toMatch(
      new RegExp(`at fail \\(${source}:6:\\d+\\)\n    at node:internal/main:1:1$`),
    );
  });

  it("leaves a frame without a readable map as it is", () => {
    const stack = `Error: broken\n    at fail (${pathToFileURL(join(folder, "dist/other.js")).href}:2:9)`;
    expect(sourceStack(stack, pathToFileURL(`${folder}/`))).toBe(stack);
  });

  it("reads no map of another package, since there are more of them than are kept", () => {
    const address = pathToFileURL(join(folder, "node_modules/other/dist/fail.js")).href;
    const stack = `Error: broken\n    at ${address}:2:11`;
    expect(sourceStack(stack, pathToFileURL(`${folder}/`))).toBe(stack);
  });

  it.each([
    ["with the async keyword", "at async %:2:11"],
    ["without a name", "at %:2:11"],
    ["of a constructor", "at new Scaffold (%:2:11)"],
  ])("rewrites a frame %s", (_, frame) => {
    const compiledUrl = pathToFileURL(join(folder, "dist/fail.js")).href;
    const stack = `Error: broken\n    ${frame.replace("%", compiledUrl)}`;
    expect(sourceStack(stack, pathToFileURL(`${folder}/`))).toContain("/src/fail.ts:6:");
  });

  it.each([
    "file://host.invalid/dist/fail.js:2:11",
    "file:///a%2Fb/dist/fail.js:2:11",
    "file:///dist/fail.js:99999999999999999999:0",
  ])("keeps the message of an error that looks like a frame: %s", (address) => {
    const stack = `Error: not a repository\n    at ${address}\n    at node:internal/main:1:1`;
    expect(sourceStack(stack, new URL("file:///"))).toBe(stack);
    expect(sourceStack(stack)).toBe(stack);
  });

  it("reads no map outside of the platform", () => {
    const address = pathToFileURL(join(folder, "dist/fail.js")).href;
    const stack = `Error: not a repository\n    at ${address}:2:11`;
    expect(sourceStack(stack)).toBe(stack);
    const hidden = `Error: not a repository\n    at ${new URL("../../../../", import.meta.url).href}../${address.slice("file:///".length)}:2:11`;
    expect(sourceStack(hidden)).toBe(hidden);
  });

  it("takes time in proportion to the length of a message", () => {
    const stack = `Error: ${"file:///dist/a.js".repeat(100_000)}\n    at ${"file:///dist/a.js (".repeat(100_000)}`;
    const cpuAtStart = process.cpuUsage();
    expect(sourceStack(stack)).toBe(stack);
    // milliseconds on an idle machine, and minutes if time grew with the square of the length
    expect(process.cpuUsage(cpuAtStart).user / 1000).toBeLessThan(20_000);
  });
});
