import { readdirSync } from "node:fs";
import { thisRelease } from "@factory/runtime/provisioning/schema-level";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { request } from "../kit/request.js";

const { level } = thisRelease;

describe("data of a newer release", () => {
  let home: PlatformHome;

  beforeEach(async () => {
    home = await PlatformHome.open();
  });
  afterEach(() => home.close());

  const raise = (newLevel: number, lowestLevel: number) =>
    home.rows("update releases.data set level = $1, lowest_level = $2", [newLevel, lowestLevel]);
  const messages = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);

  it("are refused in one line, before anything is written", async () => {
    await raise(level + 7, level + 3);
    const lines: string[] = [];
    const started = home.start({}, (line) => lines.push(line));
    await expect(started).rejects.toThrow("ended with 78");
    expect(messages(lines)).toEqual([
      `The data in the database have schema level ${level + 7} and need a release of level ${level + 3} or newer. ` +
        `This release has level ${level}: start a newer release, or restore a backup from before the upgrade.`,
    ]);
    expect(readdirSync(home.dataDir).filter((name) => !name.startsWith("lock"))).toEqual([]);
    expect(await home.rows("select from spine.tenants")).toEqual([]);
    expect(await home.rows("select from releases.processes")).toEqual([]);
  });

  it("serve this release while the newer one allows it, and end it when that changes", async () => {
    await raise(level + 7, level);
    const lines: string[] = [];
    const platform = await home.start({}, (line) => lines.push(line));
    expect((await request("GET /readyz", { base: platform.publicUrl })).status).toBe(200);
    expect(await home.rows("select level from releases.processes")).toEqual([{ level }]);
    expect(await home.rows("select level from releases.data")).toEqual([{ level: level + 7 }]);
    await raise(level + 7, level + 1);
    expect(await platform.ended).toBe(78);
    expect(messages(lines)).toContain(
      `The data in the database now need a release of level ${level + 1} or newer, and this release has level ${level}.`,
    );
    await eventually(
      "it is registered no more",
      async () => (await home.rows("select from releases.processes")).length === 0,
    );
  });
});
