import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { aPrincipal, eventually } from "../../../integration.fixture.js";
import { everythingProgram } from "../everything-server.fixture.js";
import { ToolCaller } from "../tool-client.fixture.js";
import type { LocalServer } from "./local-server-settings.js";
import { ServerProcess } from "./server-process.js";

const inNode = (script: string) => [process.execPath, "-e", script];

const numbers = "[820982911946154508,1e400,-0,1.0,1E5,0.1000000000000000055511151231257827]";

/** Answers `initialize` and nothing else, after what it does at its start. */
const programs = new Map([
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
  ["former", aFormerServer("const ends = true;")],
  // A zero character cannot be passed to a program, so none starts.
  ["impossible", [process.execPath, "\0"]],
  ["stuck", aFormerServer("const stuck = true;")],
  ["exact", aFormerServer(`const exact = ${JSON.stringify(numbers)};`)],
  ["tells", aFormerServer("const told = process.env.TOLD_TOKEN;")],
]);

/** A server with the revision 2025-11-25 and the tool `echo`. The variables say how it behaves. */
function aFormerServer(variables: string) {
  return inNode(`${variables}
    const given = typeof exact === "undefined" ? undefined : JSON.parse(exact, (_, value, { source }) => source ? JSON.rawJSON(source) : value);
    const answer = (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "server/discover" && typeof ends !== "undefined") process.exit(1);
      if (method === "tools/call" && typeof stuck !== "undefined") return;
      const result = {
        initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
        "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object", properties: given ? { n: { enum: given } } : {} } }] },
        "tools/call": {
          content: [{ type: "text", text: "told " + (typeof told === "undefined" ? "nothing" : told) + (given ? line : "") }],
          ...(given && { structuredContent: { given } }),
        },
      }[method];
      const error = { code: -32601, message: "Method not found" };
      const sameId = given === undefined || id === undefined ? id : JSON.rawJSON(id + ".0");
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id: sameId, ...(result ? { result } : { error }) }));
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => answer(line));`);
}

const chosenPrincipal = aPrincipal();
const servers = new Map<string, LocalServer>([
  ...[...programs].map(([name, program]) => [name, { program, tenants: "all" }] as const),
  ["told", { program: programs.get("tells") ?? [], tenants: "all", credentialVariable: "TOLD_TOKEN" }],
  ["private", { program: programs.get("former") ?? [], tenants: [chosenPrincipal.tenantId ?? ""] }],
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

const commandsOf = (name: string) => commandsWith((programs.get(name)?.at(-1) ?? "").split("\n")[0] ?? "");

describe("tool servers that the operator runs as programs", () => {
  let caller: ToolCaller;
  const connect = (principal: ReturnType<typeof aPrincipal>, toolServer: string, by = caller) =>
    by.connect(principal, undefined, { configuration: { toolServer } });

  /** Fails when one of the program's processes is left. */
  const leavesNoProcess = async (name: string) => {
    await eventually(() => (commandsOf(name).length === 0 ? true : undefined));
  };

  beforeAll(async () => {
    process.env["SECRET_OF_THE_PLATFORM"] = "marked-secret";
    caller = await ToolCaller.start({
      localToolServers: servers,
      localToolServerBytes: 300 * 1024 * 1024,
    });
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

  it("changes no number of a definition, of arguments and of results", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "exact");
    const { tools, leftOut } = await caller.list(principal, { connectionId });
    expect(tools[0]?.inputSchemaJson).toBe(`{"properties":{"n":{"enum":${numbers}}},"type":"object"}`);
    const { contentJson, structuredJson } = await caller.invoke(principal, connectionId, "echo", {
      sent: parseForeignJson(numbers),
    });
    expect([structuredJson, leftOut]).toEqual([`{"given":${numbers}}`, []]);
    expect(contentJson).toContain(numbers);
  });

  it("refuses a name that the operator does not offer, and never runs a value of a row", async () => {
    const principal = aPrincipal();
    for (const name of ["nothing", "/bin/sh", ""]) {
      const connectionId = await connect(principal, name);
      const refusedCall = caller.invoke(principal, connectionId, "echo");
      await expect(refusedCall).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    }
  });

  it.each(["dies", "greedy", "floods"])("fails the call of a program that %s, and leaves no process", async (name) => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, name);
    const refusedCall = caller.invoke(principal, connectionId, "echo");
    await expect(refusedCall).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    await leavesNoProcess(name);
  });

  it("gives its place back when a program does not start", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "impossible");
    // A tenant has four places.
    for (let call = 0; call < 5; call += 1)
      await expect(caller.invoke(principal, connectionId, "echo")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("ends a silent program when its caller goes", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "silent");
    const callerEnd = new AbortController();
    const { signal } = callerEnd;
    const answer = expect(caller.invoke(principal, connectionId, "echo", {}, { signal })).rejects.toMatchObject({});
    await eventually(() => (commandsOf("silent").length > 0 ? true : undefined));
    callerEnd.abort();
    await answer;
    await leavesNoProcess("silent");
  });

  it("speaks the former revision with a program that ends at an unknown handshake", async () => {
    const principal = aPrincipal();
    const connectionId = await connect(principal, "former");
    const { contentJson } = await caller.invoke(principal, connectionId, "echo");
    expect(JSON.parse(contentJson)).toEqual([{ type: "text", text: "told nothing" }]);
    await leavesNoProcess("former");
  });

  it("ends a call whose program does not answer within the idle time", async () => {
    const impatient = await ToolCaller.start({ localToolServers: servers, toolIdleMs: 1_000 });
    try {
      const principal = aPrincipal();
      const connectionId = await connect(principal, "stuck", impatient);
      const answer = impatient.invoke(principal, connectionId, "echo");
      await expect(answer).rejects.toMatchObject({ code: "UPSTREAM_TIMEOUT" });
      await leavesNoProcess("stuck");
    } finally {
      await impatient.stop();
    }
  });

  it("is offered only to the tenants that the operator names", async () => {
    const answer = await caller.invoke(chosenPrincipal, await connect(chosenPrincipal, "private"), "echo");
    expect(answer.isError).toBe(false);
    const other = aPrincipal();
    const refusedCall = caller.invoke(other, await connect(other, "private"), "echo");
    await expect(refusedCall).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  it("gets the token of the connection only in the variable that the operator names", async () => {
    const tellsWith = async (toolServer: string, secret: object, authMode = "BearerToken") => {
      const principal = aPrincipal();
      const name = `program-${newId("crd")}`;
      const source = "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }";
      await caller.mutate(principal, source, { input: { name, kind: "BearerToken", secret } });
      const more = { authMode, credentialRef: name, configuration: { toolServer } };
      const connectionId = await caller.connect(principal, undefined, more);
      return caller.invoke(principal, connectionId, "echo").then(
        ({ contentJson }) => (JSON.parse(contentJson) as { text: string }[])[0]?.text,
        ({ code }: { code: string }) => code,
      );
    };
    expect(await tellsWith("told", { token: "marked-token" })).toBe("told marked-token");
    expect(await tellsWith("tells", { token: "marked-token" })).toBe("told nothing");
    expect(await tellsWith("told", { token: "marked-token" }, "None")).toBe("told nothing");
    expect(await tellsWith("told", { token: "marked-token", hosts: ["a.example"] })).toBe("CREDENTIAL_UNUSABLE");
    expect(caller.logged.join("")).not.toContain("marked");
  });
});

describe("the program of a tool server", () => {
  /** Starts it, and returns the id that its script prints. */
  const startedBy = async (script: string) => {
    const program = new ServerProcess(inNode(script), { maxMemoryBytes: 1e9 });
    const startedPid = await new Promise<number>((resolve) =>
      program.child.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
    );
    expect(isAlive(startedPid)).toBe(true);
    return { program, started: startedPid };
  };
  const sleep = (seconds: number, options: string) =>
    `const child = require("child_process").spawn("sleep", ["${seconds}"], ${options}); console.log(child.pid);`;

  it.each([
    ["in its group", sleep(61, "{}")],
    ["in a session of their own", sleep(611, '{ detached: true, stdio: "ignore" }')],
    [
      "in another thread and session",
      `new (require("worker_threads").Worker)(\`${sleep(612, '{ detached: true, stdio: "ignore" }')}\`, { eval: true });`,
    ],
  ])("ends with the programs that it has started %s", async (_, script) => {
    const { program, started } = await startedBy(`${script} setInterval(() => {}, 1000)`);
    program.stop();
    await program.ended;
    await eventually(() => (isAlive(started) ? undefined : true));
  });

  it.each([
    ["at once", 0],
    ["later", 2_000],
  ])("has ended when it exits %s, although another one keeps its output", async (_, afterMs) => {
    const keptProcess = sleep(600, '{ detached: true, stdio: ["ignore", "inherit", "ignore"] }');
    const { program, started } = await startedBy(
      `${keptProcess} child.unref(); process.stdin.once("data", () => process.exit())`,
    );
    // The looks run in this process, so they come before the exit however slow the machine is.
    await pause(afterMs);
    program.child.stdin.write("exit");
    await program.ended;
    // A look has found it only in the second case.
    if (afterMs > 0) await eventually(() => (isAlive(started) ? undefined : true));
    else if (isAlive(started)) process.kill(started, "SIGKILL");
  });

  it("ends when its platform is killed", async () => {
    const watch = readFileSync(new URL("./server-process.ts", import.meta.url), "utf8");
    const [, script = ""] = /const script = '(.+)';/.exec(watch) ?? [];
    // A separate process plays the platform: it starts a program and its watch, and is killed.
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
