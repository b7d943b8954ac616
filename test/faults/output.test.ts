import { connect } from "node:net";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import WebSocket from "ws";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformHome } from "../kit/platform-home.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

/** Names of parser errors, and sentences of V8, the database and the libraries. They must not reach a caller. */
const engineWords =
  /CloseBraceExpected|Expected\b.*\bat position|call stack|Invalid string length|Converting circular|is not a function|Cannot read prop|node_modules/;

describe("the output of the platform", () => {
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;
  let token: string;
  const lines: string[] = [];
  /** All answers that callers have received. */
  const answers: string[] = [];

  beforeAll(async () => {
    home = await PlatformHome.open();
    const variables = { RATE_LIMIT_FACTOR: "1000", LOG_LEVEL: "debug" };
    platform = await home.start(variables, (line) => lines.push(line));
    home.use(platform);
    token = await (await aTenant()).tokenWith();
  });

  afterAll(async () => {
    await platform?.stop();
    await home?.close();
  });

  const post = async (path: string, body: unknown) => {
    const answer = await request(`POST ${path}`, { token, body });
    answers.push(answer.text);
    return answer;
  };

  it("is one JSON object on each line for any request, and no answer contains a message of an engine", async () => {
    await parameters();
    await templates();
    await documents();
    await sockets();
    await bytes();
    expect(await platform?.stop()).toBe(0);
    const unread = lines.filter((line) => typeof attempt(() => JSON.parse(line) as unknown) !== "object");
    expect(unread).toEqual([]);
    // the text that the platform printed must also be in the log
    expect(lines.join("\n")).toContain("The platform is ready.");
    expect(answers.filter((text) => engineWords.test(text))).toEqual([]);
    expect(answers.filter((text) => text.includes('"INTERNAL"'))).toEqual([]);
  });

  it("is also JSON when the platform does not start", async () => {
    const lines: string[] = [];
    const started = home.start({ PORT: "many" }, (line) => lines.push(line));
    await expect(started).rejects.toThrow("ended with 78");
    await eventually("it says why", () => lines.length > 0);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 60,
        msg: expect.stringMatching(/^The environment variables are not valid: PORT: [^\n]+$/),
      }),
    ]);
  });

  const target = { repository: "acme/output" };

  async function parameters(): Promise<void> {
    const formats = [
      "idn-hostname",
      "idn-email",
      "hostname",
      "iri",
      "uri-template",
      "regex",
      "duration",
      "json-pointer",
    ];
    const properties = Object.fromEntries(formats.map((format) => [format, { format }]));
    const version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()), {
      parameterSchema: { properties: { ...properties, any: {} } },
    });
    const { templateId, templateVersionId } = version;
    for (const value of [
      "xn--\u0000",
      "〮",
      "a\u200d.b",
      "xn--a-ecp.ru",
      "\ud800",
      "(".repeat(5000),
      "x".repeat(100_000),
    ]) {
      const given = Object.fromEntries(formats.map((format) => [format, value]));
      await post(`/v1/templates/${templateId}/execute`, { templateVersionId, target, parameters: given });
    }
    const deep = JSON.parse(`${"[".repeat(25)}${"]".repeat(25)}`) as unknown;
    await post(`/v1/templates/${templateId}/execute`, { templateVersionId, target, parameters: { any: deep } });
    for (const parameterSchema of [
      { default: "xn--\u0001", format: 7 },
      { $ref: "#" },
      { $id: "::" },
      { pattern: "(?<" },
    ])
      await post(`/v1/templates/${templateId}/versions`, {
        semanticVersion: "2.0.0",
        sourceRef: "stored://nowhere",
        engineKind: "DotnetNewTemplatePack",
        targetFramework: "net8.0",
        parameterSchema,
      });
  }

  async function templates(): Promise<void> {
    const chained = Array.from({ length: 20_000 }, () => "A").join(" && ");
    const packs = [
      { ...aSmallPack(), ".template.config/template.json": "{" },
      { ...aSmallPack(), ".template.config/template.json": "[".repeat(100_000) },
      aSmallPack({
        config: {
          symbols: { A: { type: "parameter", datatype: "bool" }, C: { type: "computed", value: "(".repeat(9000) } },
        },
        files: { "a.cs": `#if (${chained})\nx\n#endif\n`, "b.json": "{", "c.xml": "<a", "d.yml": "a: [" },
      }),
    ];
    await Promise.all(
      packs.map(async (pack, at) => {
        const version = await aTemplateVersion(token, await aTemplateSource(pack));
        await post(`/v1/templates/${version.templateId}/validate`, { templateVersionId: version.templateVersionId });
        const repository = `acme/output-${at}`;
        answers.push(JSON.stringify(await executed(token, version, { target: { repository } })));
      }),
    );
  }

  async function documents(): Promise<void> {
    const nested = "{a".repeat(9000);
    for (const query of ["{", nested, "query ($a: Nope!) { a }", "\u0000", "{ __type(name: 7) { name } }"])
      answers.push((await graphql(query, { token })).text);
    for (const raw of ['{"query":', "[".repeat(50_000), '{"query":7}', "\ufeff"])
      answers.push((await request("POST /graphql", { token, raw })).text);
  }

  async function sockets(): Promise<void> {
    const url = `${platform?.publicUrl.replace("http", "ws")}/graphql`;
    const init = JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    const again = JSON.stringify({
      id: "a",
      type: "subscribe",
      payload: { query: "subscription { events { type } }" },
    });
    const wrong = [
      { protocol: "graphql-ws", messages: [] },
      { protocol: "nonsense", messages: [] },
      { protocol: "graphql-transport-ws", messages: ["garbage"] },
      { protocol: "graphql-transport-ws", messages: [init, init] },
      { protocol: "graphql-transport-ws", messages: [again] },
      { protocol: "graphql-transport-ws", messages: [init, again, again] },
      {
        protocol: "graphql-transport-ws",
        messages: [init, '{"id":"a","type":"subscribe","payload":{"query":"{"}}', "{}"],
      },
      { protocol: "graphql-transport-ws", messages: [Buffer.from([0xff, 0xfe]), "x".repeat(70_000)] },
    ];
    await Promise.all(
      wrong.map(
        ({ protocol, messages }) =>
          new Promise<void>((resolve) => {
            const socket = new WebSocket(url, protocol);
            socket.on("open", () => {
              for (const message of messages) socket.send(message);
              // the server does not end these connections by itself
              setTimeout(() => socket.close(), 300).unref();
            });
            socket.on("message", (data: Buffer) => answers.push(data.toString("utf8")));
            socket.on("error", () => undefined);
            socket.on("close", () => resolve());
          }),
      ),
    );
  }

  /** Sends bytes that are not HTTP to the public port and to the gRPC port. */
  async function bytes(): Promise<void> {
    const ports = [platform?.publicUrl ?? "", `http://${platform?.grpcAddress}`].map((url) =>
      Number(new URL(url).port),
    );
    const upgrade =
      "GET /graphql HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\n\r\n";
    await Promise.all(
      ports.flatMap((port) =>
        ["\u0016\u0003\u0001", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxx", upgrade].map(
          (text) =>
            new Promise<void>((resolve) => {
              const socket = connect(port, "127.0.0.1", () => socket.end(text, "latin1"));
              socket.on("data", () => undefined);
              socket.on("error", () => undefined);
              socket.on("close", () => resolve());
            }),
        ),
      ),
    );
  }
});

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
