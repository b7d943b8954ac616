import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { runInNewContext } from "node:vm";
import { type FragmentDefinitionNode, type OperationDefinitionNode, parse } from "graphql";
import { aPrincipal } from "../admission/principal.fixture.js";
import { type SocketServer, startSocketServer, until } from "../websocket/socket-server.fixture.js";
import { fetcherScript } from "./fetcher.js";
import { graphiqlPage } from "./page.js";

type Fetcher = (
  params: { query: string; operationName?: string; variables?: object },
  options: {
    headers?: Record<string, string>;
    documentAST: { definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[] };
  },
) => Promise<AsyncIterableIterator<unknown> & Record<string, unknown>>;

/** The page's script, in a world with a server's origin. */
function fetcherAt(origin: string): Fetcher {
  const world = { location: { origin }, fetch, WebSocket, console };
  return runInNewContext(`${fetcherScript}; factoryFetcher`, world) as Fetcher;
}

function ask(origin: string, query: string, headers: Record<string, string>) {
  const documentAST = parse(query) as unknown as Parameters<Fetcher>[1]["documentAST"];
  return fetcherAt(origin)({ query }, { headers, documentAST });
}

describe("the page of GraphiQL", () => {
  it("runs operations by the script that knows tokens", async () => {
    const page = await graphiqlPage();
    expect(page).toContain(fetcherScript);
    expect(page).toContain("fetcher: factoryFetcher");
    expect(page).toContain("events(types:");
  });
});

describe("a subscription from the page", () => {
  let server: SocketServer;
  beforeEach(async () => {
    server = await startSocketServer({ good: aPrincipal() });
  });
  afterEach(() => server.close());

  const query = "subscription { noted { id text } }";

  it("names the token of the header editor in connection_init, and gets events", async () => {
    const events = await ask(`http://127.0.0.1:${server.port}`, query, { authorization: "Bearer good" });
    const first = events.next();
    await until("it is subscribed", () => server.notebook.subscribers === 1);
    server.notebook.tell({ id: "1", text: "a" });
    server.notebook.tell({ id: "2", text: "b" });
    expect((await first).value).toEqual({ data: { noted: { id: "1", text: "a" } } });
    expect((await events.next()).value).toEqual({ data: { noted: { id: "2", text: "b" } } });
    await events.return?.();
    await until("it is unsubscribed", () => server.notebook.subscribers === 0);
  });

  it("shows why the socket was closed, and the errors of a refused operation", async () => {
    const without = await ask(`http://127.0.0.1:${server.port}`, query, {});
    expect((await without.next()).value).toEqual({
      errors: [{ message: "The socket was closed: 4403 No token in connection_init" }],
    });
    expect((await without.next()).done).toBe(true);
    const wrong = await ask(`http://127.0.0.1:${server.port}`, "subscription { other }", {
      authorization: "Bearer good",
    });
    expect((await wrong.next()).value).toMatchObject({ errors: [{ extensions: { code: "VALIDATION_FAILED" } }] });
  });
});

describe("a query from the page", () => {
  it("is sent by POST with the headers of the header editor", async () => {
    const seenRequests: unknown[] = [];
    const http: Server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        seenRequests.push([
          request.method,
          request.url,
          request.headers.authorization,
          JSON.parse(String(Buffer.concat(parts))),
        ]);
        response.setHeader("content-type", "application/json").end(JSON.stringify({ data: { a: 1 } }));
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    expect(await ask(origin, "{ a }", { authorization: "Bearer good" })).toEqual({ data: { a: 1 } });
    expect(seenRequests).toEqual([["POST", "/graphql", "Bearer good", { query: "{ a }" }]]);
    await new Promise((resolve) => http.close(resolve));
  });
});
