import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { OpenStream, SealStream } from "./sealed-stream.js";

const key = randomBytes(32);
const chunkBytes = 256 * 1024;
const sealed = (...pieces: Buffer[]) => buffer(Readable.from(pieces).pipe(new SealStream(key)));

async function opened(bytes: Buffer, pieceBytes = bytes.length || 1): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  return buffer(Readable.from(pieces).pipe(new OpenStream(key)));
}

describe("a sealed stream", () => {
  it.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes])(
    "of %i bytes opens as it was",
    async (bytes) => {
      const content = randomBytes(bytes);
      const stored = await sealed(content.subarray(0, 7), content.subarray(7));
      expect((await opened(stored)).equals(content)).toBe(true);
      expect((await opened(stored, 100_003)).equals(content)).toBe(true);
    },
  );

  it("shows nothing of its content", async () => {
    const stored = await sealed(Buffer.from("a secret that is sealed".repeat(20_000)));
    expect(stored.includes("secret")).toBe(false);
  });

  it("does not open when a byte differs", async () => {
    const stored = await sealed(randomBytes(2 * chunkBytes + 10));
    await fc.assert(
      fc.asyncProperty(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(stored);
        changed[at] = (changed[at] ?? 0) ^ change;
        await expect(opened(changed)).rejects.toThrow("The sealed stream was changed");
      }),
      { numRuns: 20 },
    );
  });

  it("does not open when its end is cut off, also after a whole chunk", async () => {
    const stored = await sealed(randomBytes(2 * chunkBytes));
    for (const kept of [0, 10, chunkBytes + 16, stored.length - 1])
      await expect(opened(stored.subarray(0, kept))).rejects.toThrow(/cut off|changed/);
  });

  it("does not open when two chunks have changed places", async () => {
    const stored = await sealed(randomBytes(2 * chunkBytes + 5));
    const one = chunkBytes + 16;
    const moved = Buffer.concat([stored.subarray(one, 2 * one), stored.subarray(0, one), stored.subarray(2 * one)]);
    await expect(opened(moved)).rejects.toThrow("The sealed stream was changed");
  });
});
