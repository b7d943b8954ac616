import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { aPrincipal, eventually } from "../../integration.fixture.js";
import { everythingProgram } from "../everything-server.fixture.js";
import { ToolCaller } from "../tool-client.fixture.js";
import { ServerProcess } from "./server-process.js";

const inNode = (script: string) => [process.execPath, "-e", script];

/** Answers `initialize` and nothing else, after what it does at its start. */
const servers = new Map([
  ["everything", [process.execPath, everythingProgram, "stdio"]],
  ["dies", inNode("process.exit(3)")],
  ["silent", inNode("setInterval(() => {}, 1000)")],
  ["greedy", inNode("const kept = []; setInterval(() => kept.push(Buffer.alloc(64 * 1024 * 1024, 1)), 20)")],
  [
    "floods",
    inNode(
      "const line = 'x'.repeat(65536); const go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); }; go()",
    ),
  ],
]);

const isAlive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};
const commandsWith = (mark: string) =>
  execFileSync("ps", ["-eo", "args"])
    .toString()
    .split("\n")
    .filter((line) => line.includes(mark) && !line.includes("ps -eo"));

describe("tool servers that the operator runs as programs", () => {
  let caller: ToolCaller;
  const connect = (principal: ReturnType<typeof aPrincipal>, toolServer: string) =>
    caller.connect(principal, undefined, { configuration: { toolServer } });

  beforeAll(async () => {
    process.env["SECRET_OF_THE_PLATFORM"] = "marked-secret";
    caller = await ToolCaller.start({ localToolServers: servers, localToolServerBytes: 300 * 1024 * 1024 });
  });
  afterAll(async () => {
    delete process.env["SECRET_OF_THE_PLATFORM"];
    await caller?.stop();
  });

  it("lists and invokes the tools of the reference server, with a minimal environment", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "everything");
    const { tools } = await caller.list(principal, { connectionId });
    expect(tools.map(({ serverToolName }) => serverToolName)).toContain("echo");
    const { contentJson } = await caller.invoke(principal, connectionId, "tools__echo", { message: "by stdio" });
    expect(JSON.parse(contentJson)).toEqual([{ type: "text", text: "Echo: by stdio" }]);
    const environment = await caller.invoke(principal, connectionId, "get-env");
    expect(environment.contentJson).toContain("PATH");
    expect(environment.contentJson).not.toContain("marked-secret");
    await eventually(() => (commandsWith("server-everything/dist/index.js stdio").length === 0 ? true : undefined));
  });

  it("refuses a name that the operator does not offer, and never runs a value of a row", async () => {
    const principal = aPrincipal();
    for (const name of ["nothing", "/bin/sh", ""]) {
      const connectionId = await connect(principal, name);
      const refused = caller.invoke(principal, connectionId, "echo");
      await expect(refused).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    }
  });

  it.each(["dies", "greedy", "floods"])("fails the call of a program that %s, and leaves no process", async (name) => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, name);
    const refused = caller.invoke(principal, connectionId, "echo");
    await expect(refused).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    const [, , script = ""] = servers.get(name) ?? [];
    await eventually(() => (commandsWith(script).length === 0 ? true : undefined));
  });

  it("ends a silent program when its caller goes", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "silent");
    await expect(caller.invoke(principal, connectionId, "echo", {}, { timeoutMs: 1_000 })).rejects.toMatchObject({});
    const [, , script = ""] = servers.get("silent") ?? [];
    await eventually(() => (commandsWith(script).length === 0 ? true : undefined));
  });
});

describe("the program of a tool server", () => {
  it("ends with the programs that it has started", async () => {
    const script =
      'const child = require("child_process").spawn("sleep", ["61"]); console.log(child.pid); setInterval(() => {}, 1000)';
    const program = new ServerProcess(inNode(script), { maxMemoryBytes: 1e9 });
    const started = await new Promise<number>((resolve) =>
      program.child.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
    );
    expect(isAlive(started)).toBe(true);
    program.stop();
    await program.ended;
    await eventually(() => (isAlive(started) ? undefined : true));
  });

  it("ends when its platform is killed", async () => {
    const watch = readFileSync(new URL("./owner-watch.ts", import.meta.url), "utf8");
    const [, script = ""] = /const script = '(.+)';/.exec(watch) ?? [];
    // A process of its own plays the platform: it starts a program and the watch of it, and is killed.
    const platform = spawn(process.execPath, [
      "-e",
      `
      const { spawn } = require("node:child_process");
      const program = spawn("sleep", ["62"], { detached: true, stdio: "ignore" });
      spawn("/bin/sh", ["-c", ${JSON.stringify(script)}, "sh", String(program.pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
      console.log(program.pid); setInterval(() => {}, 1000);
    `,
    ]);
    const program = await new Promise<number>((resolve) =>
      platform.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
    );
    expect(isAlive(program)).toBe(true);
    platform.kill("SIGKILL");
    await eventually(() => (isAlive(program) ? undefined : true));
  });
});
