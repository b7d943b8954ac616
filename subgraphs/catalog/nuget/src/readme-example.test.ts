import { readFile } from "node:fs/promises";
import { format } from "node:util";
import { jest } from "@jest/globals";

const exampleForm = /```ts\n(.*?)```/s;
const outputForm = /console\.log\(.*\/\/ => (.*)$/gm;

async function textOf(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), "utf8");
}

/** The README's example with its imports led to the source files, as the package's exports say. */
async function readmeExample(): Promise<string> {
  const { exports } = JSON.parse(await textOf("../package.json")) as { exports: Record<string, { source: string }> };
  const code = exampleForm.exec(await textOf("../README.md"))?.[1] ?? "";
  return code.replaceAll(/"@factory\/nuget\/([\w-]+)"/g, (_, name: string) => {
    const path = exports[`./${name}`]?.source ?? `no export ${name}`;
    return `"${path.replace("./src/", "./").replace(/\.ts$/, ".js")}"`;
  });
}

describe("the example of the README", () => {
  it("is the program that runs here", async () => {
    expect(await readmeExample()).toBe(await textOf("readme-example.fixture.ts"));
  });

  it("prints what its comments say", async () => {
    const lines: string[] = [];
    const log = jest.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      lines.push(format(...values));
    });
    await import("./readme-example.fixture.js");
    log.mockRestore();
    expect(lines).toEqual([...(await readmeExample()).matchAll(outputForm)].map(([, output]) => output));
  });
});
