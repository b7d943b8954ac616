import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bareEnvironment } from "../settings/environment.js";
import { PlatformChildren } from "./platform-children.js";

describe("the processes of npm run dev", () => {
  let folder: string;
  let main: string;
  let children: PlatformChildren;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "factory-dev-"));
    main = join(folder, "main.mjs");
    children = new PlatformChildren(bareEnvironment());
  });
  afterEach(async () => {
    children.close();
    await rm(folder, { recursive: true });
  });

  /** Makes the platform's code print this text, its own pid and its arguments. */
  const write = (word: string) =>
    writeFile(main, `console.log(JSON.stringify(["${word}", process.pid, ...process.argv.slice(1)]))`);

  async function printedBy(child: ChildProcess): Promise<unknown> {
    if (!child.stdout) throw new Error("The child prints nothing");
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    return JSON.parse(output);
  }

  it("run the code as it is at the start, also in a process that waited", async () => {
    await write("first");
    const first = children.start({ main, preparedIn: "prepared" });
    expect(await printedBy(first)).toEqual(["first", first.pid, main, "prepared"]);
    children.prepare();
    const { waiting } = children;
    await write("second");
    const second = children.start({ main, preparedIn: undefined });
    expect(second).toBe(waiting);
    expect(await printedBy(second)).toEqual(["second", second.pid, main]);
  });

  it("are replaced when a file has changed that the waiting one has loaded", async () => {
    await write("any");
    children.prepare();
    children.changed(["subgraphs/spine/src/people/users/user.service.ts"]);
    const standby = children.waiting;
    expect(standby).toBeDefined();
    children.changed(["subgraphs/runtime/src/bus/postgres-bus.ts"]);
    expect(children.waiting).toBeUndefined();
    const child = children.start({ main, preparedIn: undefined });
    expect(child.pid).not.toBe(standby?.pid);
    expect(await printedBy(child)).toEqual(["any", child.pid, main]);
  });
});
