import { decodeJwt, decodeProtectedHeader } from "jose";
import { aGrpcCaller, type GrpcCaller } from "../kit/grpc-status.js";
import { aRawSocket } from "../kit/raw-socket.js";
import { type RealKey, realKey } from "../kit/real-key.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { expiredToken, tokenAttacks } from "../kit/token-attacks.js";

const promotion = "/factory.catalog.v1.Promotion/PublishTemplateVersion";
const [grpcOk, grpcUnauthenticated] = [0, 16];

let good: string;
let real: RealKey;
let attacks: [name: string, token: string][];
let grpc: GrpcCaller;

beforeAll(async () => {
  good = await (await aTenant()).tokenWith();
  real = await realKey(good);
  attacks = Object.entries(await tokenAttacks(good, real));
  grpc = await aGrpcCaller();
});

afterAll(() => grpc.close());

/** True if the text can be sent as a header value. fetch and http2 refuse all others. */
const isHeader = (token: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(token);

/** The entry points. Each returns a text such as `REST 401 TOKEN_INVALID`. */
const surfaces = {
  async REST(token: string) {
    const answer = await request("GET /v1/roles", { token });
    const challenge = answer.headers.get("www-authenticate")?.includes('error="invalid_token"') ? "" : ", no challenge";
    return answer.status === 200 ? "let in" : refusal(answer) + challenge;
  },
  async GraphQL(token: string) {
    const answer = await graphql("{ roles { nextCursor } }", { token });
    return answer.status === 200 ? "let in" : refusal(answer);
  },
  async websocket(token: string) {
    const socket = await aRawSocket();
    socket.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    const { code } = await Promise.race([socket.closed, acknowledged(socket)]);
    socket.close();
    return code === 0 ? "let in" : String(code);
  },
  async gRPC(token: string) {
    const status = await grpc.status(promotion, `Bearer ${token}`);
    return status === grpcUnauthenticated ? "UNAUTHENTICATED" : `let in, ${status}`;
  },
};

async function acknowledged({ messages }: Awaited<ReturnType<typeof aRawSocket>>): Promise<{ code: number }> {
  for (;;) {
    if (messages.some(({ type }) => type === "connection_ack")) return { code: 0 };
    await new Promise((resolve) => setTimeout(resolve, 5).unref());
  }
}

/** Works on some items at a time. One at a time would be slow, and all at once would exceed the socket limit. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 8)
    await Promise.all(items.slice(start, start + 8).map(async (item) => work(item)));
}

const refusals: Record<keyof typeof surfaces, string> = {
  REST: "401 TOKEN_INVALID",
  GraphQL: "401 TOKEN_INVALID",
  websocket: "4403",
  gRPC: "UNAUTHENTICATED",
};

describe.each(Object.keys(surfaces) as (keyof typeof surfaces)[])("%s", (surface) => {
  const ask = surfaces[surface];

  it("accepts a valid token, and a token that this test signs correctly with the real key", async () => {
    const copy = real.token(decodeProtectedHeader(good), decodeJwt(good));
    expect(copy).not.toBe(good);
    for (const token of [good, copy]) expect(await ask(token)).toMatch(/^let in/);
  });

  it("refuses every attack", async () => {
    const answers: [string, string][] = [];
    const sendable = surface === "websocket" ? attacks : attacks.filter(([, token]) => isHeader(token));
    await inTurns(sendable, async ([name, token]) => {
      answers.push([name, await ask(token)]);
    });
    expect(answers.length).toBeGreaterThan(150);
    expect(answers.filter(([, answer]) => answer !== refusals[surface])).toEqual([]);
  });

  it("says that an expired token has expired", async () => {
    expect(await ask(expiredToken(good, real))).toBe(refusals[surface].replace("INVALID", "EXPIRED"));
  });

  it("refuses a token that is too long", async () => {
    const claims = { ...decodeJwt(good), filler: "x".repeat(16 * 1024) };
    const answer = await ask(real.token(decodeProtectedHeader(good), claims)).catch(() => "not even read");
    expect(answer).toMatch(/^(401 TOKEN_INVALID|431 HEADERS_TOO_LARGE.*|4403|UNAUTHENTICATED|not even read)$/);
  });
});

it("a gRPC call with a valid token passes the authentication", async () => {
  const status = await grpc.status(promotion, `Bearer ${good}`);
  expect([grpcOk, grpcUnauthenticated]).not.toContain(status);
});
