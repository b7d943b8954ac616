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
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("names the line of the TypeScript source", () => {
    const compiled = pathToFileURL(join(folder, "dist/fail.js")).href;
    const stack = `Error: broken\n    at fail (${compiled}:2:11)\n    at node:internal/main:1:1`;
    const source = pathToFileURL(join(folder, "src/fail.ts")).href;
    expect(sourceStack(stack)).toMatch(new RegExp(`at fail \\(${source}:6:\\d+\\)\n    at node:internal/main:1:1$`));
  });

  it("leaves a frame without a readable map as it is", () => {
    const stack = `Error: broken\n    at fail (${pathToFileURL(join(folder, "dist/other.js")).href}:2:9)`;
    expect(sourceStack(stack)).toBe(stack);
  });
});
