import { aPrincipal } from "../admission/principal.fixture.js";
import { type Client, type SocketServer, startSocketServer, until } from "./socket-server.fixture.js";

const query = "subscription { noted { id comment } }";
const principals = {
  first: aPrincipal({ subject: "usr_1", tokenId: "jti_1" }),
  second: aPrincipal({ subject: "usr_2", tokenId: "jti_2", scopes: new Set(["libraries.read", "templates.read"]) }),
  alike: aPrincipal({ subject: "usr_3", tokenId: "jti_3" }),
  narrow: aPrincipal({ subject: "usr_4", scopes: new Set(["libraries.read"]) }),
  stranger: aPrincipal({ tenantId: "ten_2" }),
};

let server: SocketServer;
let clients: Client[];

beforeEach(async () => {
  server = await startSocketServer(principals);
  clients = [];
});

afterEach(async () => {
  for (const { socket } of clients) socket.terminate();
  await server.close();
});

/** Each subscriber's answer to one event that all subscribers get. */
async function told(tokens: (keyof typeof principals)[], document = query) {
  clients = await Promise.all(tokens.map((token) => server.connect(token)));
  for (const client of clients) client.subscribe(document);
  await until("all are subscribed", () => server.notebook.subscribers === tokens.length);
  server.notebook.tell({ id: "7", text: "x" });
  const next = ({ messages }: Client) => messages.find(({ type }) => type === "next")?.payload;
  await until("all are told", () => clients.every((client) => next(client) !== undefined));
  return clients.map(next);
}

describe("subscribers of one event", () => {
  it("with different scopes see different things, and share no result", async () => {
    const [first, narrow] = await told(["first", "narrow"]);
    expect(first).toEqual({ data: { noted: { id: "7", comment: "for ten_1" } } });
    expect(narrow).toMatchObject({
      data: { noted: { id: "7", comment: null } },
      errors: [{ path: ["noted", "comment"], extensions: { code: "INSUFFICIENT_SCOPE" } }],
    });
    expect(server.notebook.joined).toBe(2);
  });

  it("of different tenants share no result, even where one object is handed to both", async () => {
    const [first, stranger] = await told(["first", "stranger"]);
    expect(first).toEqual({ data: { noted: { id: "7", comment: "for ten_1" } } });
    expect(stranger).toEqual({ data: { noted: { id: "7", comment: "for ten_2" } } });
  });

  it("with the same rights share one join, and a subscriber with more rights causes a second join", async () => {
    const answers = await told(["first", "alike", "first", "second"]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect([server.notebook.joined, server.notebook.taken]).toEqual([2, 2]);
  });

  it("get an error where a resolver reads what they do not have in common", async () => {
    const [answer] = await told(["first"], "subscription { noted { id owner } }");
    expect(answer).toMatchObject({ data: { noted: { owner: null } }, errors: [{ extensions: { code: "INTERNAL" } }] });
  });
});
