import { parseCompletion } from "./chat-answer.js";
import { type Delta, StreamedAnswer } from "./streamed-answer.js";

/** The parts in an answer that a caller gets. */
interface Handed {
  readonly content?: string;
  readonly refusal?: string;
  readonly calls?: readonly (readonly [name: string, argumentsJson: string])[];
}

const call = (callArguments: unknown, more: object = {}) => ({
  id: "c",
  type: "function",
  function: { name: "f", arguments: callArguments },
  ...more,
});
const exact = '{"id":820982911946154508,"big":1e400,"zero":-0,"long":0.12345678901234567890}';

/** Messages in the forms that vendors document, as JSON texts, since JavaScript cannot hold some of their numbers. */
const understood: readonly (readonly [what: string, message: string, handed: Handed])[] = [
  ["a text", '{"content":"hello"}', { content: "hello" }],
  ["an empty text", '{"content":""}', { content: "" }],
  ["content as parts", '{"content":[{"type":"text","text":"hel"},{"type":"text","text":"lo"}]}', { content: "hello" }],
  ["content as texts", '{"content":["hel","lo"]}', { content: "hello" }],
  ["content as one part", '{"content":{"type":"text","text":"hello"}}', { content: "hello" }],
  [
    "parts with output_text",
    '{"content":[{"type":"output_text","text":"hello","annotations":[]}]}',
    { content: "hello" },
  ],
  [
    "parts with thoughts",
    '{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hello"}]}',
    { content: "hello" },
  ],
  [
    "parts with references",
    '{"content":[{"type":"text","text":"hello"},{"type":"reference","reference_ids":[1]}]}',
    { content: "hello" },
  ],
  ["a refusal", '{"content":null,"refusal":"I cannot."}', { refusal: "I cannot." }],
  ["a refusal among parts", '{"content":[{"type":"refusal","refusal":"I cannot."}]}', { refusal: "I cannot." }],
  [
    "thoughts beside the text",
    '{"content":"hello","reasoning_content":"hm","audio":null,"annotations":[]}',
    { content: "hello" },
  ],
  [
    "arguments as a text",
    `{"content":null,"tool_calls":[${JSON.stringify(call('{"a":1}'))}]}`,
    { calls: [["f", '{"a":1}']] },
  ],
  [
    "arguments as an object",
    `{"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":${exact}}}]}`,
    { calls: [["f", exact]] },
  ],
  [
    "arguments as a number",
    '{"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":1e400}}]}',
    { calls: [["f", "1e400"]] },
  ],
  ["arguments that are null", `{"tool_calls":[${JSON.stringify(call(null))}]}`, { calls: [["f", ""]] }],
  [
    "a call in the former form",
    '{"content":null,"function_call":{"name":"f","arguments":"{}"}}',
    { calls: [["f", "{}"]] },
  ],
];

/** Messages that would be lost in part. */
const notUnderstood: readonly (readonly [what: string, message: string])[] = [
  ["nothing", "{}"],
  ["content that is null", '{"content":null}'],
  ["thoughts alone", '{"content":[{"type":"thinking","thinking":[]}]}'],
  ["a part with audio", '{"content":[{"type":"audio","data":"x"}]}'],
  ["a part without its text", '{"content":[{"type":"text"}]}'],
  ["content that is a number", '{"content":7}'],
  ["audio instead of content", '{"content":null,"audio":{"id":"a","data":"x"}}'],
  ["a refusal that is an object", '{"content":null,"refusal":{"text":"no"}}'],
  ["calls as an object", '{"content":null,"tool_calls":{"name":"f"}}'],
  ["a call of a custom tool", '{"tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"x"}}]}'],
];

const error = expect.objectContaining({ code: "MODEL_ANSWER_NOT_UNDERSTOOD" });
const whole = (message: string, reason = "stop") =>
  parseCompletion(Buffer.from(`{"choices":[{"index":0,"message":${message},"finish_reason":"${reason}"}]}`));

function streamed(piece: Buffer): { deltas: Delta[]; failure: unknown } {
  const answer = new StreamedAnswer();
  const deltas: Delta[] = [];
  try {
    for (const delta of answer.push(piece)) deltas.push(delta);
    answer.requireEnd();
  } catch (failure) {
    return { deltas, failure };
  }
  return { deltas, failure: undefined };
}

const chunk = (message: string, reason: string | null, member = "delta") =>
  `data: {"choices":[{"index":0,"${member}":${message},"finish_reason":${JSON.stringify(reason)}}]}\n\n`;

const handedBy = (deltas: readonly Delta[]) => ({
  content: deltas.map(({ delta = "" }) => delta).join(""),
  refusal: deltas.map(({ refusalDelta = "" }) => refusalDelta).join(""),
  calls: deltas.flatMap(({ toolCallDelta }) =>
    toolCallDelta ? [[toolCallDelta.name, toolCallDelta.argumentsJson]] : [],
  ),
});

describe("every documented form of a model's answer", () => {
  it.each(understood)("is understood as a whole with %s", (_, message, { content = "", refusal = "", calls = [] }) => {
    const completion = whole(message);
    const namedCalls = completion.toolCalls.map(({ name, argumentsJson }) => [name, argumentsJson]);
    expect([completion.content, completion.refusal, namedCalls]).toEqual([content, refusal, calls]);
  });

  it.each(["delta", "message"])("is understood in the member %s of a stream", (member) => {
    for (const [title, message, { content = "", refusal = "", calls = [] }] of understood) {
      const { deltas, failure } = streamed(Buffer.from(chunk(message, "stop", member)));
      expect([title, failure, handedBy(deltas)]).toEqual([title, undefined, { content, refusal, calls }]);
    }
  });

  it.each(notUnderstood)("is a named error and no empty success with %s", (_, message) => {
    expect(() => whole(message)).toThrow(error);
    expect(streamed(Buffer.from(chunk(message, "stop"))).failure).toEqual(error);
  });

  it.each(["length", "content_filter"])("may be empty for the reason %s", (reason) => {
    expect(whole('{"content":null}', reason)).toMatchObject({ content: "", finishReason: reason });
    expect(streamed(Buffer.from(chunk("{}", reason))).failure).toBeUndefined();
  });

  it("is a named error where a vendor sends a whole answer instead of a stream", () => {
    const body = '{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}';
    expect(streamed(Buffer.from(body)).failure).toEqual(error);
  });

  it("is the error of the vendor where it tells one inside of its answer", () => {
    const upstreamFailure = expect.objectContaining({
      code: "UPSTREAM_FAILED",
      message: expect.stringContaining("reported an error"),
    });
    expect(() => parseCompletion(Buffer.from('{"error":{"code":502}}'))).toThrow(upstreamFailure);
    expect(() => parseCompletion(Buffer.from('{"choices":[{"error":{"code":502},"message":{"content":""}}]}'))).toThrow(
      upstreamFailure,
    );
  });
});

describe("a text of a stream is never lost because of what follows in the same packet", () => {
  const helloChunk = chunk('{"content":"hello"}', null);
  const followers: readonly (readonly [what: string, text: string | Buffer])[] = [
    ["an error", 'data: {"error":{"message":"x"}}\n\n'],
    ["an error of the choice", 'data: {"choices":[{"error":{"code":1},"delta":{}}]}\n\n'],
    ["text that is no JSON", "data: <html>\n\n"],
    ["an event that is too long", `data: ${"x".repeat(300_000)}\n\n`],
    ["bytes that are not UTF-8", Buffer.from([0x64, 0x61, 0xff, 0xfe, 0x0a])],
    ["an answer that is not understood", chunk('{"content":7}', null)],
    ["a call with a place far away", chunk('{"tool_calls":[{"index":5000}]}', null)],
  ];

  it.each(followers)("with %s", (_, text) => {
    const { deltas, failure } = streamed(Buffer.concat([Buffer.from(helloChunk), Buffer.from(text as string)]));
    expect(deltas).toEqual([{ delta: "hello" }]);
    expect(failure).toMatchObject({ code: expect.any(String) });
  });

  it("with an error in the same event", () => {
    const event = 'data: {"error":{"code":1},"choices":[{"delta":{"content":"hello"},"finish_reason":"error"}]}\n\n';
    const { deltas, failure } = streamed(Buffer.from(event));
    expect(deltas).toEqual([{ delta: "hello" }, { finishReason: "error" }]);
    expect(failure).toMatchObject({ code: "UPSTREAM_FAILED" });
  });
});

describe("lines that keep a stream alive and carry no data", () => {
  it.each([
    ": ping\n\n",
    "data:\n\n",
    "data: \n\n",
    "data\n\n",
    "event: ping\n\n",
    "event: ping\ndata:\n\n",
    "\n\n\n",
    "retry: 10\n\n",
    'event: ping\ndata: {"type":"ping"}\n\n',
  ])("are skipped as %j", (line) => {
    const text = line + chunk('{"content":"hel"}', null) + line + chunk('{"content":"lo"}', "stop") + line;
    const { deltas, failure } = streamed(Buffer.from(text));
    expect(failure).toBeUndefined();
    expect(handedBy(deltas).content).toBe("hello");
  });
});
