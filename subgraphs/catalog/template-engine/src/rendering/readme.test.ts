import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { transformSync } from "@swc/core";
import * as templatePack from "../configuration/template-pack.js";
import * as rendering from "./render.js";

const modules: Readonly<Record<string, object>> = {
  "@factory/template-engine/render": rendering,
  "@factory/template-engine/template-pack": templatePack,
};

describe("the README", () => {
  it("shows an example that prints what the README says", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, example = ""] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    const [, output = ""] = /```text\n([^]*?)```/.exec(readme) ?? [];
    const script = example.replace(/import (\{.*?\}) from ("[^"]+");/g, "const $1 = modules[$2];");
    const { code } = transformSync(script, { jsc: { parser: { syntax: "typescript" }, target: "es2022" } });
    const lines: string[] = [];
    const run = runInThisContext(`(modules, console) => { ${code} }`) as (...given: object[]) => void;
    run(modules, { log: (...parts: string[]) => lines.push(parts.join(" ")) });
    expect(lines.join("\n")).toBe(output.trim());
  });
});
