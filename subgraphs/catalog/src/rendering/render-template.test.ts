import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { renderTemplate } from "./render-template.js";
import type { RenderOrder } from "./template-renderer.js";

function tree(files: Record<string, string>): Map<string, TreeFile> {
  return new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
}

const config = (more: object = {}) =>
  JSON.stringify({ identity: "a", name: "a", shortName: "a", sourceName: "App1", ...more });

function rendered(files: Record<string, string>, order: Partial<RenderOrder> = {}): Record<string, string> {
  const asked = { name: undefined, fallbackName: "orders", parameters: {}, seed: "s", now: new Date(0), ...order };
  const { files: produced = new Map() as FileTree } = renderTemplate(asked, tree(files));
  return Object.fromEntries(Array.from(produced, ([path, { bytes }]) => [path, Buffer.from(bytes).toString()]));
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
