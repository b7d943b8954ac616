import { TemplateError } from "@factory/template-engine/template-error";
import { packTree, unpackTree } from "./packed-tree.js";
import { answerRequest } from "./serve-tasks.js";
import { taskHandler, workerTask } from "./worker-task.js";

const handlers = [
  taskHandler(workerTask<number, number>("double", "quick"), (input, files) => ({ output: input * 2, files })),
  taskHandler(workerTask<string, never>("refuse", "quick"), (message) => {
    throw new TemplateError("TEMPLATE_INVALID", message);
  }),
  taskHandler(workerTask<string, never>("break", "quick"), (message) => {
    throw new Error(message);
  }),
];
const request = (task: string, input: unknown) => answerRequest(handlers, { task, input, files: [] }, undefined);

describe("answerRequest", () => {
  it("gives the output of the task, and its files", async () => {
    const packedTree = packTree(new Map([["a.txt", { bytes: Buffer.from("a"), executable: true }]]));
    const { answer, bytes } = await answerRequest(
      handlers,
      { task: "double", input: 2, files: packedTree.files },
      packedTree.bytes,
    );
    expect(answer).toMatchObject({ kind: "done", output: 4 });
    if (answer.kind !== "done") throw new Error(answer.kind);
    expect([...unpackTree(answer.files, bytes)]).toMatchObject([["a.txt", { executable: true }]]);
  });

  it("gives the code, the message and the findings of a template error", async () => {
    expect(await request("refuse", "It has no name.")).toMatchObject({
      answer: { kind: "refused", code: "TEMPLATE_INVALID", message: "It has no name.", findings: expect.any(Array) },
    });
  });

  it("tells a bug from a refusal", async () => {
    expect(await request("break", "oops")).toMatchObject({ answer: { kind: "broken", message: "oops" } });
    expect(await request("none", 1)).toMatchObject({
      answer: { kind: "broken", message: 'The worker process knows no task "none".' },
    });
  });
});
