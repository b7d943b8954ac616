import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const platform = fileURLToPath(new URL("../", import.meta.url));
/** A compiler that notes each run, and that fails when a source says so. */
const compiler = `
const fs = require("node:fs");
const root = process.argv[3];
fs.appendFileSync(root + "runs", (process.argv[4] ?? "checked") + "\\n");
if (fs.readFileSync(root + "schema/names.ts", "utf8").includes("wrong")) process.exit(2);
`;

describe("the launcher", () => {
  let root: string;
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "factory-launch-"));
    for (const file of ["launch.mjs", "compile.mjs"]) {
      await mkdir(join(root, "gateway/platform"), { recursive: true });
      await cp(join(platform, file), join(root, "gateway/platform", file));
    }
    for (const file of ["package-lock.json", "tsconfig.base.json", "tsconfig.json"]) await write(file, "{}");
    for (const file of ["subgraphs/a.ts", "rest-facade/a.ts", "test/a.ts", "schema/names.ts"]) await write(file, "1");
    await write("gateway/platform/dist/demo.js", "");
    await write("node_modules/typescript/bin/tsc", compiler);
  });
  afterEach(() => rm(root, { recursive: true }));

  const launch = (program: string) =>
    new Promise<{ code: number; printed: string }>((resolve) => {
      const child = execFile(process.execPath, [join(root, "gateway/platform/launch.mjs"), program], (_, __, output) =>
        resolve({ code: child.exitCode ?? -1, printed: output }),
      );
    });
  const runs = async () => (await readFile(join(root, "runs"), "utf8").catch(() => "")).split("\n").length - 1;

  it("compiles once, and says so", async () => {
    const { code, printed } = await launch("compile");
    expect([code, printed]).toEqual([0, expect.stringMatching(/^Compiling the sources: .*\n {2}compiled in \d+ s\n$/)]);
    expect(await launch("compile")).toEqual({ code: 0, printed: "" });
    expect(await runs()).toBe(1);
  });

  it("leaves types unchecked for a program that runs the code, until a build checks them", async () => {
    await write("gateway/platform/dist/token.js", "");
    for (const program of ["token", "token", "compile", "compile", "token"])
      expect((await launch(program)).code).toBe(0);
    expect(await readFile(join(root, "runs"), "utf8")).toBe("--noCheck\nchecked\n");
  });

  it.each([
    ["a changed source", () => write("schema/names.ts", "22")],
    ["a source with another time", () => utimes(join(root, "test/a.ts"), 1, 1)],
    ["a new source", () => write("subgraphs/spine/src/b.ts", "1")],
    ["a changed GraphQL document", () => write("schema/supergraph.graphql", "type Query { a: Int }")],
    ["a source that is gone", () => rm(join(root, "test/a.ts"))],
  ])("compiles after %s", async (_, change) => {
    await launch("compile");
    await change();
    await launch("compile");
    expect(await runs()).toBe(2);
  });

  it("ends with the compiler's code, and compiles again afterwards", async () => {
    await write("schema/names.ts", "wrong");
    expect((await launch("compile")).code).toBe(2);
    expect((await launch("compile")).code).toBe(2);
    expect(await runs()).toBe(2);
  });

  it("starts a build without the packages of development, and compiles nothing", async () => {
    await rm(join(root, "node_modules"), { recursive: true });
    await write("gateway/platform/dist/bundle/main.js", 'process.stderr.write("started")');
    const { code, printed } = await launch("start");
    expect([code, printed]).toEqual([0, expect.stringMatching(/no compiler.*\nstarted$/)]);
  });

  it("says what to do where there is neither a build nor a compiler", async () => {
    await rm(join(root, "node_modules"), { recursive: true });
    const { code, printed } = await launch("start");
    expect([code, printed]).toEqual([1, expect.stringContaining("npm ci && npm run build")]);
  });

  it("refuses a program that it does not know", async () => {
    const { code, printed } = await launch("stop");
    expect([code, printed]).toEqual([1, expect.stringContaining("Choose a program: start, demo, dev, build, compile")]);
  });
});
