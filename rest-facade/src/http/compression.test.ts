import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Started, startWith } from "../facade.fixture.js";

const tenantRow = (at: number) => ({
  ...{ tenantId: `ten_${at}`, name: `Tenant ${at}`, slug: `tenant-${at}`, editionCode: "Free", status: "Active" },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
});

/** The bytes as they are sent: `fetch` would decode them. */
async function sent(facade: Started, path: string, acceptEncoding: string) {
  const { request } = await import("node:http");
  return new Promise<{ coding: string | undefined; vary: string | undefined; bytes: Buffer; status: number }>(
    (resolve, reject) => {
      const headers = { "accept-encoding": acceptEncoding, authorization: "Bearer admin" };
      const outgoing = request(`${facade.publicUrl}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            coding: response.headers["content-encoding"],
            vary: response.headers.vary,
            bytes: Buffer.concat(chunks),
            status: response.statusCode ?? 0,
          }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end();
    },
  );
}

let count = 100;
let facade: Started;

beforeAll(async () => {
  const resolvers = {
    tenants: () => ({ items: Array.from({ length: count }, (_, at) => tenantRow(at)), nextCursor: null }),
  };
  facade = await startWith(resolvers, { allowedOrigins: ["https://studio.example"] });
});

afterAll(() => facade.close());

const decode = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(["/v1/tenants", "/openapi.json", "/docs/events", "/asyncapi.json"])("the answer at %s", (path) => {
  it.each(["br", "gzip"] as const)("is compressed for a caller who accepts %s", async (coding) => {
    const plain = await sent(facade, path, "identity");
    const compressed = await sent(facade, path, `deflate;q=0.9, ${coding}`);
    expect([plain.coding, compressed.coding, compressed.status]).toEqual([undefined, coding, 200]);
    // a shared cache keeps the answers for each coding and each origin apart
    expect(compressed.vary?.toLowerCase().split(/, */).sort()).toEqual(["accept-encoding", "origin"]);
    expect(decode[coding](compressed.bytes)).toEqual(plain.bytes);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it("is plain for a caller who accepts another coding only", async () => {
    expect((await sent(facade, path, "zstd")).coding).toBeUndefined();
    expect((await sent(facade, path, "br;q=0")).coding).toBeUndefined();
  });
});

describe("an answer that is not compressed", () => {
  it("is short", async () => {
    count = 1;
    expect((await sent(facade, "/v1/tenants", "br")).coding).toBeUndefined();
  });

  it("shows one resource, or refuses", async () => {
    expect((await sent(facade, "/v1/nothing", "br")).coding).toBeUndefined();
    expect((await sent(facade, "/healthz", "br")).coding).toBeUndefined();
  });
});
