import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../../integration.fixture.js";
import { anOwnServer, aTool, type OwnServer } from "./own-server.fixture.js";
import { anAgent, ToolCaller } from "./tool-client.fixture.js";

let caller: ToolCaller;
let ownServer: OwnServer;

beforeAll(async () => {
  caller = await ToolCaller.start();
});
beforeEach(async () => {
  ownServer = await anOwnServer();
});
afterEach(() => ownServer.close());
afterAll(() => caller?.stop());

const query = `query ($id: ID!, $first: Int, $after: String) {
  connectionTools(connectionId: $id, first: $first, after: $after) {
    items { toolName qualifiedName state definitionHash acceptedHash title description inputSchema annotations }
    leftOut { toolName reason }
    nextCursor
  }
}`;

const listTools = async (principal: Principal, id: string, page: { first?: number; after?: string | null } = {}) =>
  (await caller.mutate(principal, query, { id, ...page })).connectionTools as {
    items: Record<string, unknown>[];
    leftOut: { toolName: string; reason: string }[];
    nextCursor: string | null;
  };

const statesOf = async (principal: Principal, id: string) =>
  Object.fromEntries((await listTools(principal, id)).items.map(({ toolName, state }) => [toolName, state]));

const rowsOf = (principal: Principal) =>
  caller.fixture.rows(
    "select 1 from integration.tools where tenant_id = $1 union all select 1 from integration.listed_servers where tenant_id = $1",
    decodeId("ten", principal.tenantId ?? ""),
  );

describe("the tools of a connection", () => {
  it("are shown with their definitions and states", async () => {
    const principal = aPrincipal();
    const annotations = { readOnlyHint: true };
    ownServer.tools = [aTool("read", { title: "Read", annotations }), aTool("remove"), aTool("write")];
    const configuration = { allowedTools: "read, write, remove" };
    const connectionId = await caller.connect(principal, ownServer.url, { configuration, displayName: "My files" });
    expect((await listTools(principal, connectionId)).items).toEqual([]);
    await caller.list(principal, { connectionId });
    const { items } = await listTools(principal, connectionId);
    expect(items[0]).toEqual({
      ...{ toolName: "read", qualifiedName: "my-files__read", state: "Allowed", title: "Read", description: null },
      ...{ inputSchema: { type: "object" }, annotations },
      ...{ definitionHash: items[0]?.["acceptedHash"], acceptedHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    ownServer.tools = [aTool("read", { description: "Another one." }), aTool("format"), aTool("write")];
    await caller.list(principal, { connectionId });
    expect(await statesOf(principal, connectionId)).toEqual({
      ...{ read: "Changed", format: "NotAllowed", write: "Allowed", remove: "Removed" },
    });
    const change =
      "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { version } }";
    const input = { configuration: { allowedTools: "format" } };
    await caller.mutate(principal, change, { id: connectionId, input });
    expect(await statesOf(principal, connectionId)).toMatchObject({ format: "Allowed", write: "NotAllowed" });
  });

  it("are shown page by page, in the order of their names", async () => {
    const principal = aPrincipal();
    ownServer.tools = ["e", "b", "a", "d", "c"].map((name) => aTool(name));
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.list(principal, { connectionId });
    const names: unknown[] = [];
    let after: string | null = null;
    do {
      const page = await listTools(principal, connectionId, { first: 2, after });
      names.push(...page.items.map(({ toolName }) => toolName));
      after = page.nextCursor;
    } while (after !== null);
    expect(names).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("have an event for a change that somebody accepts", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.list(principal, { connectionId });
    ownServer.tools = [aTool("echo", { description: "Another one." })];
    await caller.list(principal, { connectionId });
    const [tool] = (await listTools(principal, connectionId)).items;
    const { definitionHash, acceptedHash: formerHash } = tool as { definitionHash: string; acceptedHash: string };
    const accept = `mutation ($id: ID!, $input: AcceptToolDefinitionInput!) {
      acceptToolDefinition(connectionId: $id, input: $input) { toolName } }`;
    for (let times = 0; times < 2; times += 1)
      await caller.mutate(principal, accept, { id: connectionId, input: { toolName: "echo", definitionHash } });
    expect(await caller.messages(principal, "ToolDefinitionAccepted")).toMatchObject([
      { data: { connectionId, toolName: "echo", definitionHash, formerHash } },
    ]);
    expect(await statesOf(principal, connectionId)).toEqual({ echo: "Allowed" });
  });

  it("are not stored for a connection that was deleted while its server answered", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    ownServer.beforeList = async () => {
      const source = 'mutation ($id: ID!) { deleteConnection(connectionId: $id, ifMatch: "*") { status } }';
      await caller.mutate(principal, source, { id: connectionId });
    };
    await expect(caller.list(principal, { connectionId })).rejects.toMatchObject({ code: expect.any(String) });
    expect(await rowsOf(principal)).toEqual([]);
  });

  it("are taken off when they are listed with an odd member, and are back when it is gone", async () => {
    const principal = aPrincipal();
    ownServer.tools = [aTool("odd"), aTool("good")];
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.list(principal, { connectionId });
    ownServer.tools = [aTool("odd", { description: null }), aTool("good")];
    await caller.list(principal, { connectionId });
    expect(await statesOf(principal, connectionId)).toEqual({ odd: "Removed", good: "Allowed" });
    expect(await listTools(principal, connectionId)).toMatchObject({
      leftOut: [{ toolName: "odd", reason: "The member description must be a text or absent." }],
    });
    await expect(caller.invoke(principal, connectionId, "odd")).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
      message: expect.stringContaining("The member description must be a text or absent."),
    });
    ownServer.tools = [aTool("odd"), aTool("good")];
    await caller.list(principal, { connectionId });
    expect(await statesOf(principal, connectionId)).toEqual({ odd: "Allowed", good: "Allowed" });
    expect((await listTools(principal, connectionId)).leftOut).toEqual([]);
  });

  it("are left out where a definition is nested too deeply to be read", async () => {
    const principal = aPrincipal();
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`) as object;
    ownServer.tools = [aTool("deep", { inputSchema: { type: "object", properties: deep } }), aTool("flat")];
    const connectionId = await caller.connect(principal, ownServer.url);
    const { tools } = await caller.list(principal, { connectionId });
    expect(tools.map(({ serverToolName }) => serverToolName)).toEqual(["flat"]);
  });
});

describe("the name of a tool to be invoked", () => {
  const invokedNames = () =>
    ownServer.received.filter(({ method }) => method === "tools/call").map(({ params }) => params.name);
  const notFound = { code: "TOOL_NOT_FOUND" };

  it("means the tool that the server calls so, although the name has two underscores", async () => {
    const principal = aPrincipal();
    ownServer.tools = [aTool("b"), aTool("a__b")];
    const connectionId = await caller.connect(principal, ownServer.url);
    for (const name of ["a__b", "tools__b", "tools__a__b", "b"]) await caller.invoke(principal, connectionId, name);
    expect(invokedNames()).toEqual(["a__b", "b", "a__b", "b"]);
    const events = await caller.messages(principal, "ToolInvoked");
    expect(events.map(({ data }) => (data as { toolName: string }).toolName)).toEqual(invokedNames());
  });

  it("means no tool of this connection when it begins with another server", async () => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.connect(principal, ownServer.url, { displayName: "Other" });
    for (const name of ["other__echo", "fs__echo"])
      await expect(caller.invoke(principal, connectionId, name)).rejects.toMatchObject(notFound);
    expect(invokedNames()).toEqual([]);
  });

  it("is refused where it means two tools, each of which has another name", async () => {
    const principal = aPrincipal();
    ownServer.tools = [aTool("b"), aTool("a__b")];
    const connectionId = await caller.connect(principal, ownServer.url, { displayName: "A" });
    await expect(caller.invoke(principal, connectionId, "a__b")).rejects.toMatchObject(notFound);
    for (const name of ["b", "a__a__b"]) await caller.invoke(principal, connectionId, name);
    expect(invokedNames()).toEqual(["b", "a__b"]);
  });
});

describe("the accepted definition of a tool", () => {
  it("is kept while the server lists very many other names, and too many new ones are left out", async () => {
    const principal = aPrincipal();
    const pay = aTool("pay");
    ownServer.tools = [pay];
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.list(principal, { connectionId });
    // They come before the tool in name order.
    const others = (from: number, count: number) => Array.from({ length: count }, (_, at) => aTool(`a${from + at}`));
    const listOf = async (tools: object[]) => {
      ownServer.tools = tools;
      return (await caller.list(principal, { connectionId })).tools;
    };
    await listOf(others(0, 512));
    await listOf(others(512, 500));
    const names = (await listOf([...others(1_012, 20), aTool("a0"), pay])).map(({ serverToolName }) => serverToolName);
    expect(names).toHaveLength(13);
    expect(names).toEqual(expect.arrayContaining(["a0", "a1012", "a1022", "pay"]));
    const [changedTool] = await listOf([aTool("pay", { description: "To somebody else." })]);
    expect(changedTool).toMatchObject({ serverToolName: "pay", definitionChanged: true });
  });
});

describe("an agent", () => {
  it("chooses neither the tools of a connection nor a tool server", async () => {
    const principal = aPrincipal();
    const agent = anAgent("task", principal.tenantId);
    const connectionId = await caller.connect(principal, ownServer.url, { configuration: { allowedTools: "echo" } });
    // oxlint-disable-next-line typescript/no-explicit-any
    const ask = async (source: string, variables: Record<string, unknown>): Promise<any> => {
      const { data, errors } = await caller.fixture.run(agent, source, variables);
      return errors?.[0]?.extensions["code"] ?? Object.values(data)[0];
    };
    const change = (input: object) =>
      ask(
        "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { configuration } }",
        { id: connectionId, input },
      );
    for (const configuration of [null, { allowedTools: "*" }, { allowedTools: "echo", toolServer: "files" }])
      expect(await change({ configuration })).toBe("SELF_APPROVAL");
    const configuration = { allowedTools: "echo", region: "eu" };
    expect(await change({ displayName: "Files", configuration })).toEqual({ configuration });
    const provider = (input: object) =>
      ask("mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }", {
        input: { displayName: "Tools", category: "Tool", authModel: "Custom", baseUrl: ownServer.url, ...input },
      });
    const connect = (providerId: string) =>
      ask("mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { status } }", {
        input: { providerId, displayName: "Tools", authMode: "None" },
      });
    const server = await provider({ key: "server", capabilities: ["tools.invoke"] });
    expect(await connect(server.providerId)).toBe("SELF_APPROVAL");
    const plain = await provider({ key: "plain", capabilities: ["contacts.write"] });
    expect(await connect(plain.providerId)).toEqual({ status: "Active" });
    const addTools =
      "mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(providerId: $id, input: $input) { capabilities } }";
    const input = { capabilities: ["contacts.write", "tools.invoke"] };
    expect(await ask(addTools, { id: plain.providerId, input })).toBe("SELF_APPROVAL");
  });
});

describe("pages of ListTools", () => {
  it("lose no tool when the server changes its list between them", async () => {
    const principal = aPrincipal();
    const nameOf = (at: number) => `tool-${String(at).padStart(3, "0")}`;
    ownServer.tools = Array.from({ length: 130 }, (_, at) => aTool(nameOf(at)));
    const connectionId = await caller.connect(principal, ownServer.url);
    const first = await caller.list(principal, { connectionId });
    ownServer.tools = ownServer.tools.slice(10);
    await caller.list(principal, { connectionId });
    const names = first.tools.map(({ serverToolName }) => serverToolName);
    let pageToken = first.nextPageToken;
    while (pageToken !== "") {
      const page = await caller.list(principal, { connectionId, pageToken });
      names.push(...page.tools.map(({ serverToolName }) => serverToolName));
      pageToken = page.nextPageToken;
    }
    expect(names).toEqual(Array.from({ length: 130 }, (_, at) => nameOf(at)));
    const other = await caller.connect(principal, ownServer.url);
    const mixedPage = caller.list(principal, { connectionId: other, pageToken: first.nextPageToken });
    await expect(mixedPage).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });
});
