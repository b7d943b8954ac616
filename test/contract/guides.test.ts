import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { bareEnvironment } from "@factory/platform/settings/environment";
import { Kind, type OperationDefinitionNode, OperationTypeNode, parse, print } from "graphql";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { type GuideBlock, guideBlocks } from "../kit/guide-blocks.js";
import { GuideShell } from "../kit/guide-shell.js";
import { aPackage } from "../kit/nuget-packages.js";
import { PlatformHome } from "../kit/platform-home.js";
import { graphql, request } from "../kit/request.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const operating = "gateway/OPERATING.md";
const files = [
  "README.md",
  "subgraphs/catalog/GUIDE.md",
  "subgraphs/integration/GUIDE.md",
  "subgraphs/spine/GUIDE.md",
  "gateway/GUIDE.md",
  operating,
] as const;

/** The blocks that are shown only (`sh`), by an excerpt, with the reason. */
const shownOnly: Readonly<Record<string, string>> = {
  "follow 0": "it runs until Ctrl-C; a test below runs it",
  grpcurl: "it needs grpcurl; the next block does the same",
  '"pullRequest"': "GitHub must know the token of the connection; test/rest/pull-requests.test.ts has a vendor",
  "npm ci": "it installs the packages",
  "accept-folder": "every process must have ended; test/faults/folder-marks.test.ts runs it",
  "backup -- --check": "it writes to folders of the operator; test/faults/backup.test.ts runs it",
  "restore --": "it needs an empty installation; test/faults/backup.test.ts runs it",
};

/** The shell variables with the ids that a reader puts into the GraphQL examples. */
const idVariables: Readonly<Record<string, string>> = {
  tpl: "TEMPLATE",
  tpv: "VERSION",
  exe: "EXECUTION",
  lib: "LIBRARY",
};

/** Operations for executions in another state than the README's execution, which is completed. */
const refusedOperations: Readonly<Record<string, string>> = {
  cancelExecution: "INVALID_STATE",
  retryExecution: "INVALID_STATE",
};

/** The program opens the subscription again for ever, also where no event comes. */
const followTimeoutMs = 120_000;
const tokenLifeMs = 900_000;

const blocks = files.flatMap((file) => guideBlocks(file));
const sampleBlocks = blocks
  .filter(({ language }) => language === "sh")
  .map(({ place, text }) => [
    place,
    Object.entries(shownOnly).find(([part]) => text.includes(part))?.[1] ?? "no reason",
  ]);
const examples = blocks.filter(({ language }) => language === "bash" || language === "graphql");

describe("the README and the guides", () => {
  let folder: string;
  let links: string[];
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;
  let shell: GuideShell;
  let feed: Server;
  let receiverPort: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guides-"));
    // the checkout's commands, for a reader whose folder is empty otherwise
    links = ["package.json", "node_modules", "gateway"];
    for (const name of links) await symlink(join(root, name), join(folder, name));
    feed = await aFeedOfPolly();
    receiverPort = await aFreePort();
    home = await PlatformHome.open({ dataDir: join(folder, ".data") });
    platform = await home.start({ RATE_LIMIT_FACTOR: "1000", NUGET_FEEDS: `${addressOf(feed)}/v3/index.json` });
    home.use(platform);
    shell = await GuideShell.open(folder);
  });

  afterAll(async () => {
    await shell.close();
    await platform?.stop();
    await home.close();
    feed.closeAllConnections();
    feed.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The text with this platform's addresses in the place of those that a first start takes. */
  function atThisPlatform(text: string): string {
    if (!platform) throw new Error("The platform has not started");
    return text
      .replaceAll("127.0.0.1:4000", new URL(platform.publicUrl).host)
      .replaceAll("127.0.0.1:4001", new URL(platform.internalUrl).host)
      .replaceAll("localhost:4002", `localhost:${new URL(`http://${platform.grpcAddress}`).port}`)
      .replaceAll("4700", String(receiverPort));
  }

  async function runBash(text: string): Promise<void> {
    const { output, errors } = await shell.run(atThisPlatform(text));
    const unexpectedErrors = errors
      .split("\n")
      .filter(
        (line) =>
          !/^(?:Cloning into .*|Compiling .*| *compiled .*| *still compiling after .*|.*\bTerminated\b.*|)$/.test(line),
      );
    expect({ unexpectedErrors, output }).toEqual({ unexpectedErrors: [], output: expect.not.stringMatching(refusals) });
  }

  async function runGraphql(text: string): Promise<void> {
    const token = await shell.valueOf("TOKEN");
    const operations = parse(await withIds(text)).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    expect(operations.length).toBeGreaterThan(0);
    for (const operation of operations as OperationDefinitionNode[]) {
      const query = print(operation);
      if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
        const answers = await aFeed({ query, token });
        await eventually("the subscription answers", () => answers.events.length + answers.errors.length > 0);
        await answers.stop();
        expect({ query, errors: answers.errors }).toEqual({ query, errors: [] });
        continue;
      }
      const { body } = await graphql(query, { token });
      const refusal = Object.entries(refusedOperations).find(([name]) => query.includes(name))?.[1];
      const codes = body.errors?.map(({ extensions, message }) => [extensions.code, refusal ? "" : message]);
      expect({ query, codes }).toEqual({ query, codes: refusal ? [[refusal, ""]] : undefined });
    }
  }

  async function withIds(text: string): Promise<string> {
    let documentText = text;
    for (const [prefix, variable] of Object.entries(idVariables))
      documentText = documentText.replaceAll(`${prefix}_…`, await shell.valueOf(variable));
    return documentText.replaceAll(
      "sca_…",
      await shell.run("execution | field scaffoldOutputId").then(({ output }) => output.trim()),
    );
  }

  it("have a short beginning: the README has at most 130 lines", () => {
    expect(readFileSync(join(root, "README.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(130);
  });

  it("have blocks of known languages, and a reason is for one block", () => {
    const languages = new Set(blocks.map(({ language }) => language));
    expect([...languages].sort()).toEqual(["bash", "graphql", "ini", "mermaid", "sh", "sql", "ts"]);
    expect(sampleBlocks.map(([, reason]) => reason)).toEqual(Object.values(shownOnly));
  });

  it.each(sampleBlocks)("%s is not run: %s", (_place, reason) => {
    expect(reason).not.toBe("no reason");
  });

  it.each([
    ["catalog", "subgraphs/catalog/GUIDE.md"],
    ["integration", "subgraphs/integration/GUIDE.md"],
    ["spine", "subgraphs/spine/GUIDE.md"],
    ["graphql", "gateway/GUIDE.md"],
    ["operating", operating],
  ])("are served: /docs/guides/%s", async (name, file) => {
    expect((await request("GET /docs/guides")).text).toContain(`href="/docs/guides/${name}"`);
    expect((await request(`GET /docs/guides/${name}`)).text).toBe(readFileSync(join(root, file), "utf8"));
  });

  describe("run in their order, in an empty folder", () => {
    let file: string | undefined;
    let tokenTakenAt = Number.POSITIVE_INFINITY;

    it.each(examples.map((block): [string, GuideBlock] => [block.place, block]))("%s", async (place, block) => {
      const [next = ""] = place.split(":");
      // a token lasts for 15 minutes, and the README tells to take another one
      if (Date.now() - tokenTakenAt > tokenLifeMs / 3) {
        await runBash("export TOKEN=$(npm run -s token)");
        tokenTakenAt = Date.now();
      }
      if (next === operating && file !== next) await runBash("DATA_DIR=.data");
      if (file === undefined) tokenTakenAt = Date.now();
      file = next;
      await (block.language === "bash" ? runBash(block.text) : runGraphql(block.text));
    });
  });

  it("follow the events of the README from the first one", async () => {
    const [, program = { text: "" }] = guideBlocks("README.md").filter(({ language }) => language === "bash");
    const follower = spawn("bash", ["-c", `${atThisPlatform(program.text)}\nfollow 0`], {
      cwd: folder,
      env: bareEnvironment(),
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const end = () => process.kill(-(follower.pid ?? 0), "SIGKILL");
    const timer = setTimeout(end, followTimeoutMs);
    try {
      for await (const line of createInterface({ input: follower.stdout })) {
        expect(line).toMatch(/^TemplateExecuted \{ status: 'Completed' \} \S+$/);
        return;
      }
      throw new Error("The program has ended without an event");
    } finally {
      clearTimeout(timer);
      end();
    }
  });

  it("leave nothing in the folder, and no setting that hinders the main job", async () => {
    expect((await readdir(folder)).sort()).toEqual([".data", ...links].sort());
    const [job = { text: "" }] = guideBlocks("README.md").filter(({ language }) => language === "bash");
    await runBash(job.text.replace('"name":"web-api"', '"name":"web-api-again"'));
    expect((await shell.run("execution")).output).toContain('"status":"Completed"');
  });
});

/** A problem document, or a GraphQL answer with errors. */
const refusals = /"type":"\/problems\/|^\{"errors":/m;

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function aFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A feed with the package that the catalog's guide imports. */
async function aFeedOfPolly(): Promise<Server> {
  const nuspec = aPackage({ id: "Polly", version: "8.4.2" });
  const server = createServer((incoming, response) => {
    const flat = { "@id": `${addressOf(server)}/flat/`, "@type": "PackageBaseAddress/3.0.0" };
    if (incoming.url === "/v3/index.json") response.end(JSON.stringify({ version: "3.0.0", resources: [flat] }));
    else if (incoming.url === "/flat/polly/index.json") response.end(JSON.stringify({ versions: ["8.4.2"] }));
    else if (incoming.url === "/flat/polly/8.4.2/polly.8.4.2.nupkg") response.end(nuspec);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
