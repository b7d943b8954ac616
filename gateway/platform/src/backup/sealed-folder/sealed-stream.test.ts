import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { OpenStream, SealStream } from "./sealed-stream.js";

const key = randomBytes(32);
const chunkBytes = 256 * 1024;
const seal = (...pieces: Buffer[]) => buffer(Readable.from(pieces).pipe(new SealStream(key)));

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
      const sealedBytes = await seal(content.subarray(0, 7), content.subarray(7));
      expect((await opened(sealedBytes)).equals(content)).toBe(true);
      expect((await opened(sealedBytes, 100_003)).equals(content)).toBe(true);
    },
  );

  it("shows nothing of its content", async () => {
    const sealedBytes = await seal(Buffer.from("a secret that is sealed".repeat(20_000)));
    expect(sealedBytes.includes("secret")).toBe(false);
  });

  it("does not open when a byte differs", async () => {
    const sealedBytes = await seal(randomBytes(2 * chunkBytes + 10));
    await fc.assert(
      fc.asyncProperty(fc.nat(sealedBytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changedBytes = Buffer.from(sealedBytes);
        changedBytes[at] = (changedBytes[at] ?? 0) ^ change;
        await expect(opened(changedBytes)).rejects.toThrow("The sealed stream was changed");
      }),
      { numRuns: 20 },
    );
  });

  it("does not open when its end is cut off, also after a whole chunk", async () => {
    const sealedBytes = await seal(randomBytes(2 * chunkBytes));
    for (const keptBytes of [0, 10, chunkBytes + 16, sealedBytes.length - 1])
      await expect(opened(sealedBytes.subarray(0, keptBytes))).rejects.toThrow(/cut off|changed/);
  });

  it("does not open when two chunks have changed places", async () => {
    const sealedBytes = await seal(randomBytes(2 * chunkBytes + 5));
    const chunkSize = chunkBytes + 16;
    const movedBytes = Buffer.concat([
      sealedBytes.subarray(chunkSize, 2 * chunkSize),
      sealedBytes.subarray(0, chunkSize),
      sealedBytes.subarray(2 * chunkSize),
    ]);
    await expect(opened(movedBytes)).rejects.toThrow("The sealed stream was changed");
  });
});
