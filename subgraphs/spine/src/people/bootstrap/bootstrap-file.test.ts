import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBootstrapFile } from "./bootstrap-file.js";

describe("bootstrap.json", () => {
  const current = { issuer: "http://127.0.0.1:4000", clientId: "cli_a", clientSecret: "first" };
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "bootstrap-file-"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const writtenFile = async () => JSON.parse(await readFile(join(dataDir, "bootstrap.json"), "utf8"));

  it("is readable by its owner only and leaves no draft behind", async () => {
    await writeBootstrapFile(dataDir, current);
    expect(await writtenFile()).toEqual(current);
    expect((await stat(join(dataDir, "bootstrap.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(["bootstrap.json"]);
  });

  it("gets a new issuer at a later start, and never a new secret", async () => {
    await writeBootstrapFile(dataDir, current);
    await writeBootstrapFile(dataDir, { ...current, issuer: "https://factory.example", clientSecret: "second" });
    expect(await writtenFile()).toEqual({ ...current, issuer: "https://factory.example" });
    expect((await stat(join(dataDir, "bootstrap.json"))).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["of another client", JSON.stringify({ ...current, clientId: "cli_b" })],
    ["unreadable", "{"],
  ])("is written anew when it is %s", async (_, text) => {
    await writeFile(join(dataDir, "bootstrap.json"), text);
    await writeBootstrapFile(dataDir, current);
    expect(await writtenFile()).toEqual(current);
  });
});
