import { readFile } from "node:fs/promises";
import { platformEnvironment, settings } from "./environment.js";

const root = new URL("../../../../", import.meta.url);
const readAtRoot = (file: string) => readFile(new URL(file, root), "utf8");

const production = {
  NODE_ENV: "production",
  PUBLIC_URL: "https://factory.example.com",
  DATABASE_URL: "postgres://db.example.com/factory",
  SECRETS_KEY: "k".repeat(32),
};

describe("the environment", () => {
  it("is development unless it says otherwise", () => {
    expect(platformEnvironment({}).development).toBe(true);
    expect(platformEnvironment(production).development).toBe(false);
  });

  it.each(["prod", "Production", "PRODUCTION ", "staging"])("does not take NODE_ENV=%s for development", (name) => {
    expect(() => platformEnvironment({ NODE_ENV: name })).toThrow("NODE_ENV");
  });

  it.each([
    ["PUBLIC_URL", undefined],
    ["PUBLIC_URL", "http://factory.example.com"],
    ["PUBLIC_URL", "https://factory.example.com/path"],
    ["PUBLIC_URL", "https://factory.example.com?query"],
    ["PUBLIC_URL", "https://user@factory.example.com"],
    ["PUBLIC_URL", "factory.example.com"],
    ["DATABASE_URL", "db.example.com/factory"],
    ["DATABASE_URL", undefined],
    ["SECRETS_KEY", undefined],
    ["SECRETS_KEY", "short"],
    ["SECRETS_KEY_PREVIOUS", `${"k".repeat(32)},short`],
    ["SECRETS_KEY_PREVIOUS", '["not closed"'],
    ["PLATFORM_CLIENT_ID", "without a secret"],
    ["LOG_LEVEL", "trace"],
  ])("of production is refused with %s %s", (name, value) => {
    expect(() => platformEnvironment({ ...production, [name]: value })).toThrow(name);
  });

  it("takes former keys with commas between them, or as a JSON array where a key holds a comma", () => {
    const [first, other] = ["a".repeat(32), `${"b".repeat(32)},c`];
    const former = (value: string) => platformEnvironment({ SECRETS_KEY_PREVIOUS: value }).previousSecretsKeys;
    expect(former(`${first}, ${first}`)).toEqual([first, first]);
    expect(former(JSON.stringify([first, other]))).toEqual([first, other]);
    expect(platformEnvironment({}).previousSecretsKeys).toEqual([]);
  });

  it("has hosts and URLs in the form in which they are compared", () => {
    const { publicUrl, allowedHosts, allowedOrigins, sourceCredentials } = platformEnvironment({
      PUBLIC_URL: "https://Bücher.example/",
      ALLOWED_HOSTS: "git.bücher.example:8443,[::1]:80",
      ALLOWED_ORIGINS: "https://studio.bücher.example",
      SOURCE_CREDENTIALS: "git.bücher.example=secret://git",
    });
    expect([publicUrl, allowedHosts, allowedOrigins, [...sourceCredentials.keys()]]).toEqual([
      "https://xn--bcher-kva.example",
      ["git.xn--bcher-kva.example:8443", "[::1]:80"],
      ["https://studio.xn--bcher-kva.example"],
      ["git.xn--bcher-kva.example"],
    ]);
  });

  it("refuses the former name of the former keys and gives the new one", () => {
    const variables = { FORMER_SECRETS_KEYS: "a".repeat(32) };
    expect(() => platformEnvironment(variables)).toThrow(
      "FORMER_SECRETS_KEYS: is now called SECRETS_KEY_PREVIOUS: move its value there and remove it",
    );
    expect(() => platformEnvironment({ FORMER_SECRETS_KEYS: "" })).not.toThrow();
  });

  it("has the settings that OPERATING.md and .env.example name, and no other", async () => {
    const [, chapter = ""] = (await readAtRoot("gateway/OPERATING.md")).split("\n## Settings\n");
    const rows = chapter.split("\n## ")[0]?.match(/^\| `[^|]+\|/gm) ?? [];
    expect(rows.flatMap((row) => row.match(/\w+/g) ?? []).sort()).toEqual([...settings].sort());
    const examples = (await readAtRoot(".env.example")).match(/^# [A-Z_]+(?==)/gm) ?? [];
    expect(examples.map((line) => line.slice(2)).sort()).toEqual([...settings].sort());
  });
});
