import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { operationFetcher } from "@factory/pages/graphiql/fetcher";
import { aPrincipal } from "../admission/principal.fixture.js";
import { type SocketServer, startSocketServer, until } from "../websocket/socket-server.fixture.js";
import { graphiqlPage } from "./page.js";

type Headers = Record<string, string>;

/** Runs the document as the page does, with this token. */
function ask(origin: string, query: string, token: string | undefined, headers: Headers = {}, operationName?: string) {
  return operationFetcher({ origin, token: () => token })({ query, operationName }, { headers });
}

const events = (...request: Parameters<typeof ask>) => ask(...request) as AsyncGenerator<unknown>;

describe("the page of GraphiQL", () => {
  it("says what is missing where the page's files are not built", () => {
    const { text, tag } = graphiqlPage(undefined);
    expect(text).toContain("This page is not built");
    expect(text).not.toContain("<script");
    expect(tag).toMatch(/^W\/"/);
  });
});

describe("a subscription from the page", () => {
  let server: SocketServer;
  beforeEach(async () => {
    server = await startSocketServer({ good: aPrincipal() });
  });
  afterEach(() => server.close());

  const query = "subscription { noted { id text } }";

  it("names the token in connection_init, and gets events", async () => {
    const noted = events(`http://127.0.0.1:${server.port}`, query, "good");
    const first = noted.next();
    await until("it is subscribed", () => server.notebook.subscribers === 1);
    server.notebook.tell({ id: "1", text: "a" });
    server.notebook.tell({ id: "2", text: "b" });
    expect((await first).value).toEqual({ data: { noted: { id: "1", text: "a" } } });
    expect((await noted.next()).value).toEqual({ data: { noted: { id: "2", text: "b" } } });
    await noted.return(undefined);
    await until("it is unsubscribed", () => server.notebook.subscribers === 0);
  });

  it("runs the only operation of a document, where GraphiQL still has the name of another tab", async () => {
    const origin = `http://127.0.0.1:${server.port}`;
    const noted = events(origin, "subscription Noted { noted { text } }", "good", {}, "Templates");
    const first = noted.next();
    await until("it is subscribed", () => server.notebook.subscribers === 1);
    server.notebook.tell({ id: "1", text: "a" });
    expect((await first).value).toEqual({ data: { noted: { text: "a" } } });
    await noted.return(undefined);
  });

  it("shows why the socket was closed, and the errors of a refused operation", async () => {
    const without = events(`http://127.0.0.1:${server.port}`, query, undefined);
    expect((await without.next()).value).toEqual({
      errors: [{ message: "The socket was closed: 4403 No token in connection_init" }],
    });
    expect((await without.next()).done).toBe(true);
    const wrong = events(`http://127.0.0.1:${server.port}`, "subscription { other }", undefined, {
      authorization: "Bearer good",
    });
    expect((await wrong.next()).value).toMatchObject({ errors: [{ extensions: { code: "VALIDATION_FAILED" } }] });
  });
});

describe("a query from the page", () => {
  it("is sent by POST with the token or the header editor's, and with the chosen operation", async () => {
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
    expect(await ask(origin, "{ a }", "good")).toEqual({ data: { a: 1 } });
    expect(await ask(origin, "{ a }", "good", { Authorization: "Bearer other" })).toEqual({ data: { a: 1 } });
    for (const [query, name] of [
      ["query A { a } query B { a }", "B"],
      ["query A { a } query B { a }", "C"],
      ["query {", "B"],
    ] as const)
      await ask(origin, query, "good", {}, name);
    const [first, second, ...sentNames] = seenRequests as unknown[][];
    expect(sentNames.map(([, , , body]) => (body as { operationName?: string }).operationName)).toEqual([
      "B",
      "C",
      "B",
    ]);
    expect([first, second]).toEqual([
      ["POST", "/graphql", "Bearer good", { query: "{ a }" }],
      ["POST", "/graphql", "Bearer other", { query: "{ a }" }],
    ]);
    await new Promise((resolve) => http.close(resolve));
  });
});
