import { rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Started, startWith } from "../facade.fixture.js";
import { aPageBuild, scriptText } from "./static-files.fixture.js";
import { StaticFiles } from "./static-files.js";

const anonymous = { token: undefined };
let build: Awaited<ReturnType<typeof aPageBuild>>;
let facade: Started;

beforeAll(async () => {
  build = await aPageBuild();
  facade = await startWith({}, { pageFiles: build.files });
});
afterAll(async () => {
  await facade.close();
  await build[Symbol.asyncDispose]();
});

/** The answer's bytes as they were sent. */
function bytesOf(path: string, acceptEncoding: string): Promise<{ coding: unknown; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(facade.publicUrl + path, { headers: { "accept-encoding": acceptEncoding } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ coding: response.headers["content-encoding"], bytes: Buffer.concat(parts) }));
    })
      .on("error", reject)
      .end();
  });
}

describe("GET /assets/{name}", () => {
  it("is kept by caches for ever, because the name holds the content's hash", async () => {
    const script = await facade.call("GET /assets/viewer-AA.js", anonymous);
    expect([script.status, script.text]).toEqual([200, scriptText]);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("vary")).toContain("accept-encoding");
    const style = await facade.call("HEAD /assets/style-DD.css", anonymous);
    expect([style.status, style.headers.get("content-type"), style.text]).toEqual([200, "text/css; charset=utf-8", ""]);
  });

  it("is not sent again to a caller that has it", async () => {
    const { headers } = await facade.call("GET /assets/viewer-AA.js", anonymous);
    const ifNoneMatch = { "if-none-match": headers.get("etag") ?? "" };
    const again = await facade.call("GET /assets/viewer-AA.js", { ...anonymous, headers: ifNoneMatch });
    expect([again.status, again.text]).toEqual([304, ""]);
    const other = await facade.call("GET /assets/part-EE.js", { ...anonymous, headers: ifNoneMatch });
    expect(other.status).toBe(200);
  });

  it.each([
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["identity", undefined, (bytes: Buffer) => bytes],
  ] as const)("is sent in the coding that the caller prefers: %s", async (accepted, coding, decode) => {
    const answer = await bytesOf("/assets/part-EE.js", accepted);
    expect([answer.coding, decode(answer.bytes).toString()]).toEqual([coding, scriptText]);
  });

  it("is 404 for a name that the build has not made, and leads to no other file", async () => {
    for (const name of ["nothing.js", "viewer-AA.js.br", "pages.json", "..%2Fpages.json", "%2e%2e%2fpages.json"])
      expect([name, (await facade.call(`GET /assets/${name}`, anonymous)).status]).toEqual([name, 404]);
    const refusal = await facade.call("POST /assets/viewer-AA.js", anonymous);
    expect([refusal.status, refusal.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

describe("the files of a build", () => {
  it("are read again after a failure", async () => {
    const own = await aPageBuild();
    const path = join(own.folder, "part-EE.js.br");
    await rm(path);
    await expect(own.files.content("part-EE.js", "gzip")).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(path, brotliCompressSync("again"));
    expect(gunzipSync(await own.files.content("part-EE.js", "gzip")).toString()).toBe("again");
    await own[Symbol.asyncDispose]();
  });

  it("are none where the pages are not built, and the pages say so", async () => {
    expect(await StaticFiles.open(join(build.folder, "nothing"))).toBeUndefined();
    const bare = await startWith({});
    const page = await bare.call("GET /docs", anonymous);
    expect([page.status, page.text.includes("This page is not built")]).toEqual([200, true]);
    expect((await bare.call("GET /assets/viewer-AA.js", anonymous)).status).toBe(404);
    await bare.close();
  });
});
