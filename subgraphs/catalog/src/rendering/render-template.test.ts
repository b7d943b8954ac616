import type { TreeFile } from "@factory/template-engine/file-tree";
import { packTree, unpackTree } from "../worker-pool/packed-tree.js";
import { answerRequest } from "../worker-pool/serve-tasks.js";
import type { RenderOrder } from "./render-task.js";

function tree(files: Record<string, string>): Map<string, TreeFile> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: path.endsWith(".sh") }]),
  );
}

const config = (more: object = {}) =>
  JSON.stringify({ identity: "a", name: "a", shortName: "a", sourceName: "App1", ...more });

async function render(files: Record<string, string>, order: Partial<RenderOrder> = {}) {
  const asked = { name: undefined, fallbackName: "orders", parameters: {}, seed: "s", now: new Date(0), ...order };
  const packed = packTree(tree(files));
  return answerRequest({ kind: "render", files: packed.files, order: asked }, packed.bytes);
}

async function rendered(
  files: Record<string, string>,
  order: Partial<RenderOrder> = {},
): Promise<Record<string, string>> {
  const { answer, bytes } = await render(files, order);
  if (answer.kind !== "rendered") throw new Error(JSON.stringify(answer));
  return Object.fromEntries(
    Array.from(unpackTree(answer.files, bytes), ([path, { bytes }]) => [path, Buffer.from(bytes).toString()]),
  );
}

describe("packTree", () => {
  it("keeps paths, bytes and modes", () => {
    const files = tree({ "a.txt": "one", empty: "", "b/run.sh": "zwei ü" });
    const packed = packTree(files);
    const copy = unpackTree(packed.files, packed.bytes);
    expect([...copy].map(([path, file]) => [path, Buffer.from(file.bytes).toString(), file.executable])).toEqual([
      ["a.txt", "one", false],
      ["empty", "", false],
      ["b/run.sh", "zwei ü", true],
    ]);
  });

  it("copies a view without the memory around it", () => {
    const view = new Uint8Array(Buffer.from("xxabcxx")).subarray(2, 5);
    const { bytes } = packTree(new Map([["a", { bytes: view, executable: false }]]));
    expect(bytes.buffer.byteLength).toBe(3);
    expect(view.byteLength).toBe(3);
  });
});

describe("answerRequest: the name of the scaffold", () => {
  const files = (more: object = {}) => ({ ".template.config/template.json": config(more), "App1.txt": "App1" });

  it("is the one asked for", async () => {
    expect(await rendered(files({ defaultName: "Std" }), { name: "Mine" })).toEqual({ "Mine.txt": "Mine" });
  });

  it("is the template's default name otherwise", async () => {
    expect(await rendered(files({ defaultName: "Std" }))).toEqual({ "Std.txt": "Std" });
    expect(await rendered(files({ defaultName: "Std" }), { name: " " })).toEqual({ "Std.txt": "Std" });
  });

  it("falls back to the caller's", async () => {
    expect(await rendered(files())).toEqual({ "orders.txt": "orders" });
  });
});

describe("answerRequest: failures", () => {
  it("gives the code, the message and the findings of a template error", async () => {
    expect((await render({ "a.txt": "" })).answer).toMatchObject({
      kind: "refused",
      code: "TEMPLATE_INVALID",
      findings: [{ code: "TemplateConfigMissing" }],
    });
  });

  it("tells a bug from a refusal", async () => {
    const request = {
      kind: "check",
      check: "NoSuchCheck",
      files: [],
      parameterSchema: {},
      targetFramework: "net8.0",
    } as const;
    expect(await answerRequest(request, undefined)).toMatchObject({
      answer: { kind: "broken", message: 'There is no check "NoSuchCheck".' },
    });
  });

  it("answers a parameter check", async () => {
    const schema = { properties: { A: { type: "string" } } };
    expect(await answerRequest({ kind: "parameters", schema, parameters: { A: 1 } }, undefined)).toMatchObject({
      answer: { checked: { valid: false } },
    });
  });
});
