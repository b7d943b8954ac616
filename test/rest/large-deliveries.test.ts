import { type ClientRequest, request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { eventually } from "../kit/eventually.js";
import { anInboundSource, asSpecified } from "../kit/inbound-sources.js";
import { platform } from "../kit/platform.js";
import { postRaw } from "../kit/raw-request.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { fromGithub } from "../kit/vendor-senders.js";

const mebibyte = 1024 * 1024;
const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

async function aPlace(by = token) {
  const source = await anInboundSource(by, { preset: "github" });
  return { ...source, path: source.deliveryUrl.slice(new URL(source.deliveryUrl).origin.length) };
}

const push = (secret: string, bytes: number) => fromGithub(secret, unique("d"), "push", { text: "x".repeat(bytes) });

it("a body of 24 MiB is received at the URL of its resource, and shown as it was sent", async () => {
  const { path, secret } = await aPlace();
  const { headers, raw } = push(secret, 24 * mebibyte);
  const { status, body } = await postRaw(path, headers, raw);
  expect(status).toBe(202);
  const { deliveryId } = body as { deliveryId: string };
  const deliveryAnswer = await request<{ payload: { text: string } }>(`GET /integrations/deliveries/${deliveryId}`, {
    token,
  });
  expect(deliveryAnswer.body.payload.text.length).toBe(24 * mebibyte);
});

it("a body that is too large is refused, with and without a resource in its URL", async () => {
  const { path, key, secret } = await aPlace();
  const large = push(secret, 26 * mebibyte);
  expect(refusal(await postRaw(path, { ...large.headers, "content-length": String(large.raw.length) }, ""))).toBe(
    "413 PAYLOAD_TOO_LARGE",
  );
  const small = push(secret, 65 * 1024);
  const answer = await postRaw(`/webhooks/deliveries/${key}`, small.headers, small.raw);
  expect([refusal(answer), answer.body["hint"]]).toEqual(["413 PAYLOAD_TOO_LARGE", "?subscription="]);
  const ofAccount = push(secret, mebibyte);
  expect(refusal(await postRaw(`/webhooks/deliveries/${key}?account=a`, ofAccount.headers, ofAccount.raw))).toBe(
    "413 PAYLOAD_TOO_LARGE",
  );
});

it("a small body that inflates without end is refused, however it is sent", async () => {
  const { path, key, secret } = await aPlace();
  const bomb = gzipSync(Buffer.alloc(200 * mebibyte, " "));
  expect(bomb.length).toBeLessThan(mebibyte / 2);
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const before = process.memoryUsage().rss;
  for (const place of [path, `/webhooks/deliveries/${key}`]) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => postRaw(place, headers, bomb)));
    for (const answer of answers) expect([413, 503]).toContain(answer.status);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebibyte);
  const { raw, headers: signedHeaders } = push(secret, 10);
  expect((await postRaw(path, signedHeaders, raw)).status).toBe(202);
});

describe("bodies that do not end", () => {
  const open: ClientRequest[] = [];

  afterAll(() => {
    for (const request_ of open) request_.destroy();
  });

  /** Begins a body and does not end it. Resolves with the status where it is answered all the same. */
  function begin(
    path: string,
    bytes: number,
  ): { answered: Promise<{ status: number; retryAfter: string | undefined }> } {
    const headers = { "content-type": "application/json", "content-length": String(25 * mebibyte) };
    const call = httpRequest(platform().publicUrl + path, { method: "POST", headers });
    open.push(call);
    const answer = new Promise<{ status: number; retryAfter: string | undefined }>((resolve) => {
      call.on("error", () => undefined);
      call.on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] });
      });
    });
    call.write(Buffer.alloc(bytes, " "));
    return { answered: answer };
  }

  it("take 32 MiB of a resource, and then its vendor is asked to come again, while others are served", async () => {
    const { path, secret } = await aPlace();
    const neighbor = await aPlace(await (await aTenant()).tokenWith());
    const answers: { status: number; retryAfter: string | undefined }[] = [];
    for (let count = 0; count < 2; count += 1)
      void begin(path, 20 * mebibyte).answered.then((answer) => answers.push(answer));
    await eventually("one of two bodies is refused", () => answers.length > 0);
    expect(answers).toEqual([{ status: 503, retryAfter: "1" }]);
    const small = push(secret, 10);
    expect((await postRaw(path, small.headers, small.raw)).status).toBe(202);
    const large = push(neighbor.secret, 12 * mebibyte);
    expect((await postRaw(neighbor.path, large.headers, large.raw)).status).toBe(202);
  });

  it("are not read at all where no resource has the URL", async () => {
    const { key } = await aPlace();
    const { answered } = begin(`/webhooks/deliveries/${key}?subscription=whs_00000000000000000000000000`, 100);
    expect((await answered).status).toBe(401);
  });
});

it("a large delivery as the specification shows it names its subscription in a header", async () => {
  const source = await anInboundSource(token);
  const delivery = { providerDeliveryId: unique("d"), eventName: "a.b", payload: "x".repeat(3 * mebibyte) };
  const { headers, raw } = asSpecified(source, delivery);
  const sourceHeaders = { ...headers, "x-svc-subscription": source.subscriptionId };
  expect((await postRaw("/webhooks/deliveries", sourceHeaders, raw)).status).toBe(202);
});
