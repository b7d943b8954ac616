import { parseCompletion } from "./chat-answer.js";
import { parseEmbeddings } from "./embedding-answer.js";
import { refusedAnswer } from "./refused-answer.js";
import { StreamedAnswer } from "./streamed-answer.js";

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const unreadable = expect.objectContaining({ code: "UPSTREAM_FAILED" });

describe("a whole answer", () => {
  it("may lack all but its text", () => {
    expect(parseCompletion(json({ choices: [{ message: { content: "" } }] }))).toEqual({
      ...{ content: "", refusal: "", toolCalls: [], finishReason: "", usage: undefined, model: "" },
    });
  });

  it("tells no reason that is not a word, since reasons stand in events", () => {
    const answer = { choices: [{ message: { content: "x" }, finish_reason: "The user said: secret" }] };
    expect(parseCompletion(json(answer)).finishReason).toBe("other");
  });

  it.each(["", "[]", "null", "{}", '{"choices":[]}', '{"choices":[{"message":null}]}', "<html>"])(
    "is unreadable as %j",
    (text) => {
      expect(() => parseCompletion(Buffer.from(text))).toThrow(unreadable);
    },
  );
});

describe("an answer with embeddings", () => {
  it.each([
    ["too few", [{ index: 0, embedding: [1] }]],
    [
      "too many",
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1] },
        { index: 2, embedding: [1] },
      ],
    ],
    [
      "twice the same place",
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      "a place far away",
      [
        { index: 0, embedding: [1] },
        { index: 4_000_000_000, embedding: [1] },
      ],
    ],
    [
      "texts",
      [
        { index: 0, embedding: ["1"] },
        { index: 1, embedding: ["1"] },
      ],
    ],
    [
      "a part of a number",
      [
        { index: 0, embedding: "AAAA" },
        { index: 1, embedding: "AAAA" },
      ],
    ],
  ])("is unreadable with %s", (_, data) => {
    expect(() => parseEmbeddings(json({ data }), 2)).toThrow(unreadable);
  });
});

describe("a refusal of the vendor", () => {
  const refusalOf = (status: number, error: unknown = {}, credentialRejected = false) =>
    refusedAnswer({ status, body: json({ error }), credentialRejected });

  it.each([
    [400, "MODEL_REQUEST_REFUSED"],
    [302, "UPSTREAM_FAILED"],
    [408, "UPSTREAM_TIMEOUT"],
    [503, "UPSTREAM_FAILED"],
  ])("with the status %i is %s", (status, code) => {
    expect(refusalOf(status)).toMatchObject({ code, message: expect.stringContaining(String(status)) });
  });

  it("repeats a known code, and no other text", () => {
    expect(refusalOf(400, { code: "model_not_found", message: "secret" }).message).toContain("(model_not_found)");
    expect(refusalOf(400, { code: "secret_word", type: "secret" }).message).not.toContain("secret");
    expect(refusalOf(401, {}, true).code).toBe("CREDENTIAL_REJECTED");
  });
});

describe("a streamed answer", () => {
  const chunk = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
  const delta = (value: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ delta: value, finish_reason }] });

  it("tells its texts, calls, reason and usage", () => {
    const answer = new StreamedAnswer();
    const push = (piece: Buffer) => [...answer.push(piece)];
    const call = { index: 1, id: "c", function: { name: "f", arguments: "{" } };
    expect(push(delta({ role: "assistant", content: "" }))).toEqual([]);
    expect(push(delta({ content: "ab", tool_calls: [call] }))).toEqual([
      { delta: "ab" },
      { toolCallDelta: { index: 1, id: "c", name: "f", argumentsJson: "{" } },
    ]);
    expect(push(delta({}, "stop"))).toEqual([{ finishReason: "stop" }]);
    push(chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3 } }));
    expect(push(Buffer.from("data: [DONE]\n\ndata: after\n\n"))).toEqual([]);
    answer.requireEnd();
    expect(answer.usage).toEqual({ promptTokens: 2, completionTokens: 3, totalTokens: 5, cachedTokens: 0 });
    expect(answer.characters).toBe(4);
  });

  it("is a failure when it breaks off, has an error, or is not JSON", () => {
    const answer = new StreamedAnswer();
    const push = (piece: Buffer) => [...answer.push(piece)];
    push(delta({ content: "a" }));
    expect(() => answer.requireEnd()).toThrow(unreadable);
    expect(() => push(chunk({ error: { message: "x" } }))).toThrow(unreadable);
    expect(() => push(Buffer.from("data: {\n\n"))).toThrow(unreadable);
    expect(() => push(delta({ tool_calls: [{ index: 5000 }] }))).toThrow(unreadable);
  });
});
