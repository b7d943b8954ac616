import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import { eventually } from "../kit/eventually.js";
import { aFlag } from "../kit/feature-flags.js";
import { PlatformHome } from "../kit/platform-home.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let home: PlatformHome;
let secondFolder: string;
let first: PlatformProcess;
let second: PlatformProcess;
let secondUrl: string;
let token: string;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  home = await PlatformHome.open();
  first = await home.start({ RATE_LIMIT_FACTOR: "1000" });
  home.use(first);
  token = await (await aTenant()).tokenWith();
  secondFolder = await temporaryDataDirectory();
  const port = await freePort();
  secondUrl = `http://127.0.0.1:${port}`;
  second = await startPlatformProcess(secondFolder, {
    RATE_LIMIT_FACTOR: "1000",
    ...{ ...suiteVariables, DATABASE_URL: home.databaseUrl },
    FILES_DIR: join(home.dataDir, "files"),
    PORT: String(port),
    // the first process's tokens are valid for both
    PUBLIC_URL: first.publicUrl,
  });
});

afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await home.close();
  await removeData(secondFolder);
});

const valueAt = async (base: string) => {
  const { body } = await request("POST /ofrep/v1/evaluate/flags/shared", { base, token, body: {} });
  return body["value"];
};

describe("two processes over one database", () => {
  it("evaluate a change in the other process, and at once in their own", async () => {
    await aFlag(token, "shared", { enabled: false });
    await eventually("both know the flag", async () => (await valueAt(secondUrl)) === false);
    const delaysMs: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const isEnabled = round % 2 === 0;
      await aFlag(token, "shared", { enabled: isEnabled });
      const changedAt = Date.now();
      expect(await valueAt(first.publicUrl)).toBe(isEnabled);
      await eventually("the other process has the change", async () => (await valueAt(secondUrl)) === isEnabled);
      delaysMs.push(Date.now() - changedAt);
    }
    process.stdout.write(`the other process had a change after ${Math.max(...delaysMs)} ms at most\n`);
  });
});
