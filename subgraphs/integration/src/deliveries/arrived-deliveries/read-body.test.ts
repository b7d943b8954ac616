import { gzipSync } from "node:zlib";
import { maxBytesWith, mebibyte, requireBodySize } from "./body-size.js";
import { readBody } from "./read-body.js";

const code = (errorCode: string) => expect.objectContaining({ code: errorCode });

async function* inParts(bytes: Buffer, size = 1000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads with the limits for a URL that names a resource, or none. */
async function read(source: Parameters<typeof readBody>[0], isCompressed: boolean, isNamed = true) {
  let takenBytes = 0;
  const hint = isNamed ? ({ kind: "subscription", value: "whs" } as const) : undefined;
  const rules = {
    isCompressed,
    requireSize: (bytes: number) => requireBodySize(bytes, hint),
    take: (bytes: number) => void (takenBytes += bytes),
  };
  const outcome = await readBody(source, rules).catch((error: unknown) => error);
  return { outcome, taken: takenBytes, limit: maxBytesWith(hint) };
}

it("inflates a body, and keeps the bytes that were sent", async () => {
  const body = Buffer.from(JSON.stringify({ text: "x".repeat(5000) }));
  const sentBody = gzipSync(body);
  for (const source of [sentBody, inParts(sentBody, 7)]) {
    const { outcome, taken } = await read(source, true);
    expect(outcome).toEqual({ body, sentBody });
    expect(taken).toBe(body.length + sentBody.length);
  }
  expect((await read(inParts(body), false)).outcome).toEqual({ body });
});

it("a bomb is inflated no further than the limit of its URL", async () => {
  const bomb = gzipSync(Buffer.alloc(200 * mebibyte));
  expect(bomb.length).toBeLessThan(mebibyte);
  for (const isNamed of [true, false]) {
    const { outcome, taken, limit } = await read(inParts(bomb), true, isNamed);
    expect(outcome).toEqual(code("PAYLOAD_TOO_LARGE"));
    expect(taken).toBeLessThanOrEqual(limit + bomb.length);
  }
});

it("a bomb in a bomb is bytes, and no third one", async () => {
  const { outcome } = await read(gzipSync(gzipSync(Buffer.alloc(mebibyte))), true);
  expect(outcome).toMatchObject({ body: gzipSync(Buffer.alloc(mebibyte)) });
});

it.each([
  ["no gzip", Buffer.from("{}")],
  ["gzip that ends early", gzipSync(Buffer.from("a".repeat(5000))).subarray(0, 20)],
  ["nothing", Buffer.alloc(0)],
])("%s is refused with 400", async (_, sentBody) => {
  expect((await read(sentBody, true)).outcome).toEqual(code("VALIDATION_FAILED"));
});

it("a body whose sender goes away is no failure of the platform", async () => {
  async function* broken() {
    yield Buffer.from("{");
    throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  }
  for (const isCompressed of [false, true])
    expect((await read(broken(), isCompressed)).outcome).toEqual(code("VALIDATION_FAILED"));
});

it("memory that is refused ends the reading", async () => {
  const rules = {
    isCompressed: false,
    requireSize: () => undefined,
    take: () => {
      throw new Error("no room");
    },
  };
  await expect(readBody(inParts(Buffer.alloc(10)), rules)).rejects.toThrow("no room");
});
