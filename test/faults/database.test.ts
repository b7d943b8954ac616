import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accessToken, type ClientCredentials, readJson } from "@factory/gateway/standalone/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/platform-process";
import { eventually } from "../kit/eventually.js";
import { request } from "../kit/request.js";

describe("kill -9 of PostgreSQL under a running platform", () => {
  let dataDir: string;
  let platform: PlatformProcess;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir);
  });
  afterAll(async () => {
    await platform.stop();
    await removeData(dataDir);
  });

  it("answers 503 at the most, starts it again and keeps what was acknowledged", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const body = { name: "Kept", slug: "kept", editionCode: "Free", ownerEmail: "owner@kept.example" };
    expect((await request("POST /v1/tenants", { base, token, body })).status).toBe(201);
    for (let round = 0; round < 3; round += 1) {
      const { pid } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => request("GET /v1/tenants?slug=kept", { base, token })),
      );
      for (const { status } of answers) expect([200, 503]).toContain(status);
      await eventually(
        "reads work again",
        async () => (await request("GET /v1/tenants?slug=kept", { base, token })).status === 200,
      );
      await eventually("it is ready again", async () => (await request("GET /readyz", { base })).status === 200);
    }
    const { body: list } = await request<{ items: { slug: string }[] }>("GET /v1/tenants?slug=kept", { base, token });
    expect(list.items.map(({ slug }) => slug)).toEqual(["kept"]);
    const another = { ...body, slug: "after" };
    expect((await request("POST /v1/tenants", { base, token, body: another })).status).toBe(201);
  }, 60_000);
});
