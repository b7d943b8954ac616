import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { renderTemplate } from "./render-template.js";
import type { RenderOrder } from "./template-renderer.js";

function tree(files: Record<string, string>): Map<string, TreeFile> {
  return new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
}

const config = (more: object = {}) =>
  JSON.stringify({ identity: "a", name: "a", shortName: "a", sourceName: "App1", ...more });

function rendered(files: Record<string, string>, order: Partial<RenderOrder> = {}): Record<string, string> {
  const { parameters = {}, ...orderMembers } = order;
  const parametersJson = JSON.stringify(parameters);
  const renderInput = {
    name: undefined,
    fallbackName: "orders",
    parametersJson,
    seed: "s",
    now: new Date(0),
    ...orderMembers,
  };
  const { files: producedFiles = new Map() as FileTree } = renderTemplate(renderInput, tree(files));
  return Object.fromEntries(Array.from(producedFiles, ([path, { bytes }]) => [path, Buffer.from(bytes).toString()]));
}

describe("renderTemplate: the name of the scaffold", () => {
  const files = (more: object = {}) => ({ ".template.config/template.json": config(more), "App1.txt": "App1" });

  it("is the requested one", () => {
    expect(rendered(files({ defaultName: "Std" }), { name: "Mine" })).toEqual({ "Mine.txt": "Mine" });
  });

  it("is the template's default name otherwise", () => {
    expect(rendered(files({ defaultName: "Std" }))).toEqual({ "Std.txt": "Std" });
    expect(rendered(files({ defaultName: "Std" }), { name: " " })).toEqual({ "Std.txt": "Std" });
  });

  it("falls back to the caller's", () => {
    expect(rendered(files())).toEqual({ "orders.txt": "orders" });
  });
});

it("renderTemplate writes a number as it was sent, and an integer with its digits", () => {
  const symbols = {
    Id: { type: "parameter", datatype: "text", replaces: "ID" },
    Count: { type: "parameter", datatype: "integer", replaces: "COUNT" },
  };
  const files = { ".template.config/template.json": config({ symbols }), "numbers.txt": "ID COUNT" };
  const of = (text: string) => rendered(files, { parameters: parseForeignJson(text) as Record<string, unknown> });
  expect(of('{"Id":820982911946154508,"Count":1E5}')["numbers.txt"]).toBe("820982911946154508 100000");
  expect(of('{"Id":1.0,"Count":2.0}')["numbers.txt"]).toBe("1.0 2");
  expect(() => of('{"Id":1,"Count":1e400}')).toThrow(/does not accept/);
});
