import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { aPrincipal } from "../../../integration.fixture.js";
import { anOwnServer, aTool, type OwnServer } from "../own-server.fixture.js";
import { ToolCaller } from "../tool-client.fixture.js";

let caller: ToolCaller;
let ownServer: OwnServer;

beforeAll(async () => {
  caller = await ToolCaller.start({ toolIdleMs: 10_000 });
});
beforeEach(async () => {
  ownServer = await anOwnServer();
});
afterEach(() => ownServer.close());
afterAll(() => caller?.stop());

const object = { type: "object" };
const deep = JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`) as object;

const numbers = "[820982911946154508,1e400,-0,1.0,1E5,0.1000000000000000055511151231257827]";

/** List entries that cannot be offered, by what is wrong with them. */
const oddTools: readonly (readonly [what: string, entry: unknown])[] = [
  ["an empty input schema", aTool("odd", { inputSchema: {} })],
  ["no input schema", { name: "odd" }],
  ["an input schema that is null", aTool("odd", { inputSchema: null })],
  ["an input schema of another type", aTool("odd", { inputSchema: { type: "string" } })],
  ["required: null", aTool("odd", { inputSchema: { ...object, required: null } })],
  ["required with a number", aTool("odd", { inputSchema: { ...object, required: [1] } })],
  ["properties: null", aTool("odd", { inputSchema: { ...object, properties: null } })],
  ["properties as a list", aTool("odd", { inputSchema: { ...object, properties: [] } })],
  ["$schema as a number", aTool("odd", { inputSchema: { ...object, $schema: 7 } })],
  ["a description that is null", aTool("odd", { description: null })],
  ["a title that is a number", aTool("odd", { title: 1 })],
  ["an annotation of another type", aTool("odd", { annotations: { readOnlyHint: "yes" } })],
  ["an annotation that is null", aTool("odd", { annotations: { title: null } })],
  ["annotations as a list", aTool("odd", { annotations: [] })],
  ["an output schema as a text", aTool("odd", { outputSchema: "object" })],
  ["an output schema with required: null", aTool("odd", { outputSchema: { ...object, required: null } })],
  ["a definition with 1,000 levels", aTool("odd", { inputSchema: { ...object, properties: deep } })],
  ["a definition that is too long", aTool("odd", { description: "x".repeat(70_000) })],
  ["a header declaration that is not valid", aTool("odd", { inputSchema: { ...object, "x-mcp-header": "a b" } })],
  ["a name with a line end", aTool("odd\n")],
  ["a name that is too long", aTool("o".repeat(129))],
  ["a name that is a number", { ...aTool("odd"), name: 7 }],
  ["no name", { inputSchema: object }],
  ["a text instead of a tool", "odd"],
  ["null instead of a tool", null],
  ["a list instead of a tool", [aTool("odd")]],
];

/** Members that have no meaning here, so that their form has none either. */
const harmless: readonly object[] = [
  { icons: null },
  { _meta: null },
  { execution: { taskSupport: "perhaps" } },
  { annotations: { unknownHint: 7 } },
  { inputSchema: { ...object, properties: { count: parseForeignJson(`{"enum":${numbers}}`) } } },
];

describe("one odd member of a list of tools does not take the list down", () => {
  it.each([false, true])("with a former server: %s", async (isFormer) => {
    const principal = aPrincipal();
    ownServer.isFormer = isFormer;
    const seenTools: unknown[] = [];
    const expectedTools: unknown[] = [];
    for (const [title, entry] of oddTools) {
      // The former revision has no header declarations, so they mean nothing in it.
      if (isFormer && title.startsWith("a header")) continue;
      ownServer.tools = [aTool("first"), entry, aTool("last")];
      const connectionId = await caller.connect(principal, ownServer.url, { displayName: title.slice(0, 20) });
      const { tools, leftOut } = await caller.list(principal, { connectionId });
      const { contentJson } = await caller.invoke(principal, connectionId, "last");
      const reasons = leftOut.map(({ reason }) => /^The .+\.$/.test(reason));
      seenTools.push([title, tools.map(({ serverToolName }) => serverToolName), reasons, contentJson.includes("last")]);
      expectedTools.push([title, ["first", "last"], [true], true]);
    }
    expect(seenTools).toEqual(expectedTools);
  });

  it.each([false, true])(
    "and members without a meaning leave no tool out, with a former server: %s",
    async (isFormer) => {
      const principal = aPrincipal();
      ownServer.isFormer = isFormer;
      ownServer.tools = harmless.map((more, at) => aTool(`tool-${at}`, more));
      ownServer.listMembers = { nextCursor: null, ...(!isFormer && { ttlMs: "long", cacheScope: "mine" }) };
      const connectionId = await caller.connect(principal, ownServer.url);
      const { tools, leftOut } = await caller.list(principal, { connectionId });
      expect(tools).toHaveLength(harmless.length);
      expect(leftOut).toEqual([]);
    },
  );

  it.each([false, true])(
    "and numbers of its definitions stay as they came, with a former server: %s",
    async (isFormer) => {
      const principal = aPrincipal();
      ownServer.isFormer = isFormer;
      const withEnum = (text: string) => ({ properties: { count: parseForeignJson(`{"enum":${text}}`) }, ...object });
      const [first, second] = [
        aTool("same", { inputSchema: withEnum(numbers) }),
        aTool("other", { inputSchema: withEnum("[2.0]") }),
      ];
      const invalid = { ...object, "x-mcp-header": "a b" };
      ownServer.tools = [
        aTool("same", { inputSchema: isFormer ? {} : invalid }),
        first,
        aTool("odd", { title: 1 }),
        second,
      ];
      ownServer.listMembers = parseForeignJson(`{"_meta":{"a":1e400}${isFormer ? "" : ',"ttlMs":0.0'}}`) as object;
      const connectionId = await caller.connect(principal, ownServer.url);
      const { tools } = await caller.list(principal, { connectionId });
      expect(tools.map(({ inputSchemaJson }) => inputSchemaJson)).toEqual([
        '{"properties":{"count":{"enum":[2.0]}},"type":"object"}',
        `{"properties":{"count":{"enum":${numbers}}},"type":"object"}`,
      ]);
      ownServer.tools = [];
      const again = await caller.list(principal, { connectionId });
      expect(again.tools).toHaveLength(isFormer ? 2 : 0);
    },
  );

  it("and the second of two tools of one name is left out with its reason", async () => {
    const principal = aPrincipal();
    ownServer.tools = [aTool("same"), aTool("same", { title: "Second" }), aTool("other")];
    const connectionId = await caller.connect(principal, ownServer.url);
    const { tools, leftOut } = await caller.list(principal, { connectionId });
    expect(tools.map(({ serverToolName }) => serverToolName)).toEqual(["other", "same"]);
    expect(leftOut).toMatchObject([
      { connectionId, serverToolName: "same", reason: expect.stringContaining("before") },
    ]);
  });

  it("and at most 100 of many are named, also when the list is answered from memory", async () => {
    const principal = aPrincipal();
    ownServer.ttlMs = 60_000;
    ownServer.tools = [...Array.from({ length: 150 }, (_, at) => aTool(`odd-${at}`, { title: 1 })), aTool("good")];
    const connectionId = await caller.connect(principal, ownServer.url);
    for (let times = 0; times < 2; times += 1) {
      const { tools, leftOut } = await caller.list(principal, { connectionId });
      expect([tools.length, leftOut.length]).toEqual([1, 100]);
    }
  });
});

/** Tool results that the protocol does not document, with what is handed over. */
const oddResults: readonly (readonly [
  what: string,
  result: unknown,
  handed: { content: unknown; structured?: string; findings: readonly string[] },
])[] = [
  [
    "an unknown block",
    { content: [{ type: "video", url: "x" }] },
    { content: [{ type: "video", url: "x" }], findings: ["CONTENT_FORM"] },
  ],
  [
    "a block without its text",
    { content: [{ type: "text" }] },
    { content: [{ type: "text" }], findings: ["CONTENT_FORM"] },
  ],
  ["a block that is null", { content: [null] }, { content: [null], findings: ["CONTENT_FORM"] }],
  ["a text as content", { content: "done" }, { content: ["done"], findings: ["CONTENT_FORM"] }],
  ["no content", {}, { content: [], findings: ["CONTENT_FORM"] }],
  ["a text as result", "done", { content: ["done"], findings: ["RESULT_FORM"] }],
  ["null as result", null, { content: [null], findings: ["RESULT_FORM"] }],
  ["isError as a text", { content: [], isError: "no" }, { content: [], findings: ["RESULT_FORM"] }],
  [
    "annotations of another form",
    { content: [{ type: "text", text: "a", annotations: 7 }] },
    { content: [{ type: "text", text: "a", annotations: 7 }], findings: [] },
  ],
  [
    "numbers and a thousand levels",
    { content: [{ type: "text", text: "a" }], structuredContent: parseForeignJson(`{"a":${numbers}}`), _meta: deep },
    { content: [{ type: "text", text: "a" }], structured: `{"a":${numbers}}`, findings: [] },
  ],
  ["structured content alone", { structuredContent: { a: 1 } }, { content: [], structured: '{"a":1}', findings: [] }],
];

describe("what a tool has done is handed over, although our check of its answer fails", () => {
  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("with a former server: %s, as an event stream: %s", async (isFormer, isStream) => {
    const principal = aPrincipal();
    ownServer.isFormer = isFormer;
    const connectionId = await caller.connect(principal, ownServer.url);
    const seenResults: unknown[] = [];
    const expectedResults: unknown[] = [];
    for (const [title, result, handedResult] of oddResults) {
      ownServer.onCall = ({ id }, { response }) => {
        const full =
          typeof result === "object" && result !== null && !isFormer ? { resultType: "complete", ...result } : result;
        const message = JSON.stringify({ jsonrpc: "2.0", id, result: full, error: null });
        response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
        response.end(isStream ? `: hello\n\ndata:\n\nevent: message\ndata: ${message}\n\n` : message);
      };
      const answer = await caller.invoke(principal, connectionId, "echo");
      const codes = answer.findings.map(({ code }) => code);
      seenResults.push([title, JSON.parse(answer.contentJson), answer.structuredJson, codes, answer.isError]);
      expectedResults.push([title, handedResult.content, handedResult.structured ?? "", handedResult.findings, false]);
    }
    expect(seenResults).toEqual(expectedResults);
    const statuses = (await caller.runs(principal)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["Completed"]));
  });

  it("and a missing structured content stands beside the result", async () => {
    const principal = aPrincipal();
    ownServer.tools = [aTool("echo", { outputSchema: object })];
    const connectionId = await caller.connect(principal, ownServer.url);
    const { contentJson, findings } = await caller.invoke(principal, connectionId, "echo");
    expect(contentJson).toContain("echo");
    expect(findings).toMatchObject([{ code: "STRUCTURED_CONTENT_MISSING" }]);
    const events = await caller.messages(principal, "ToolInvoked");
    expect(events).toHaveLength(1);
  });

  it("and a result that is too large comes as far as it fits", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    const block = (text: string) => ({ type: "text", text });
    ownServer.onCall = (_, stream) =>
      stream.end({ content: [block("first"), block("ü".repeat(1_000_000)), block("last")] });
    const { contentJson, findings, isError } = await caller.invoke(principal, connectionId, "echo");
    const [first, second] = JSON.parse(contentJson) as { text: string }[];
    expect(first).toEqual(block("first"));
    expect(second?.text).toMatch(/^ü{300000,}$/);
    expect([isError, findings[0]?.code]).toEqual([false, "TOO_LARGE"]);
  });

  it("and a result is kept whose connection breaks in the packet that has it", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    ownServer.onCall = ({ id }, { response }) => {
      const message = JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } });
      const body = `event: message\r\ndata: ${message}\r\n\r\n`;
      // The chunk after it has no valid length, so that the body is broken.
      const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\nno length\r\n`;
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
      response.socket?.end(head + chunk);
    };
    const { contentJson, findings } = await caller.invoke(principal, connectionId, "echo");
    expect([contentJson, findings]).toEqual(["[]", []]);
  });

  it("and an answer above the limit of the platform is told as such", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    ownServer.onCall = (_, stream) => stream.end({ content: [{ type: "text", text: "x".repeat(5_000_000) }] });
    await expect(caller.invoke(principal, connectionId, "echo")).rejects.toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
      message: expect.stringContaining("The tool may have run."),
    });
  });
});

it("a number that a header repeats is one that the header can have", async () => {
  const principal = aPrincipal();
  const properties = {
    count: { type: "integer", "x-mcp-header": "Count" },
    inner: { type: "object", properties: { big: { type: "integer", "x-mcp-header": "Big" }, free: {} } },
  };
  ownServer.tools = [aTool("echo", { inputSchema: { ...object, properties } })];
  const connectionId = await caller.connect(principal, ownServer.url);
  const text = '{"count":5.0,"inner":{"big":820982911946154508,"free":5.0},"other":5.0}';
  await caller.invoke(principal, connectionId, "echo", parseForeignJson(text) as Record<string, unknown>);
  const call = ownServer.received.find(({ method }) => method === "tools/call");
  expect([call?.headers["mcp-param-count"], call?.headers["mcp-param-big"]]).toEqual(["5", undefined]);
  expect(JSON.stringify(call?.params.arguments)).toBe(text.replace("5.0", "5"));
});
