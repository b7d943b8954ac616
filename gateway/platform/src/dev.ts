import { type ChildProcess, spawn } from "node:child_process";
import { type FSWatcher, watch } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { transformFile } from "@swc/core";
import { PlatformChildren } from "./development/platform-children.js";
import { environmentWith, platformEnvironment } from "./settings/environment.js";

// `npm run dev` runs the platform and restarts it within two seconds after a change. PostgreSQL keeps running.

/** The packages whose sources the platform runs, with the folder that holds them. */
const packages = [
  "schema",
  "gateway/src",
  "gateway/platform/src",
  "rest-facade/src",
  "subgraphs/runtime/src",
  "subgraphs/catalog/src",
  "subgraphs/catalog/template-engine/src",
  "subgraphs/catalog/nuget/src",
  "subgraphs/integration/src",
  "subgraphs/spine/src",
];
/** The delay before a restart, because an editor writes a file in several steps. */
const settleMs = 50;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const main = join(root, "gateway/platform/dist/main.js");
const bundle = join(root, "gateway/platform/dist/bundle");
/** A source that may change a subgraph, a document or how it is planned. */
const graphSource = /type-graphql|@apollo\//;
const environment = platformEnvironment();
const dataDir = join(resolve(environment.dataDir), "dev");
const print = (text: string) => process.stdout.write(`dev: ${text}\n`);

let platform: ChildProcess | undefined;
let changedFiles = new Set<string>();
let timer: NodeJS.Timeout | undefined;
/** Restarts run one after the other, because two platforms cannot use the same data directory. */
let restarting: Promise<void> = Promise.resolve();
let isStopping = false;
let checking: ChildProcess | undefined;
let uncheckedChange = false;
/** Whether the build's plans and SDLs still belong to the sources. */
let isPrepared = true;

await mkdir(dataDir, { recursive: true, mode: 0o700 });
const database = environment.databaseUrl
  ? { url: environment.databaseUrl, stop: async () => {} }
  : await startEmbeddedPostgres({ dataDir: join(dataDir, "database"), logger: createLogger("dev", "warn") });
const watchers: FSWatcher[] = packages.map((folder) =>
  watch(join(root, folder), { recursive: true }, (_, file) => note(join(folder, file ?? ""))),
);
// `on` rather than `once`: a terminal and npm may both deliver the signal, and a second one must not kill this process
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop());
const children = new PlatformChildren(environmentWith({ DATA_DIR: dataDir, DATABASE_URL: database.url }));
print(
  `data in ${relative(process.cwd(), dataDir)}; for tools: DATA_DIR=${relative(process.cwd(), dataDir)} npm run token`,
);
start();

function start(): void {
  const startTime = performance.now();
  const child = children.start({ main, preparedIn: isPrepared ? bundle : undefined });
  platform = child;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text);
    if (!text.includes("The platform is ready.")) return;
    print(`ready after ${Math.round(performance.now() - startTime)} ms`);
    // not earlier, since they would take the CPU from the start
    children.prepare();
    if (uncheckedChange) checkTypes();
  });
  child.once("exit", (code, signal) => {
    if (platform === child) print(`the platform ended with ${code ?? signal}; it starts again after the next change`);
  });
}

/**
 * Records a change to a source, a GraphQL document or the schema. The restart follows when no file has changed for
 * `settleMs`.
 */
function note(file: string): void {
  if (!/\.(ts|graphql|json)$/.test(file) || /\.(test|fixture)\.ts$/.test(file) || file.includes("/dist/")) return;
  changedFiles.add(file);
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarting = restarting.then(restart);
  }, settleMs);
}

/** Compiles the changed files and restarts the platform. The type check runs afterwards, because it takes longer. */
async function restart(): Promise<void> {
  const files = [...changedFiles];
  if (files.length === 0) return;
  changedFiles = new Set();
  isPrepared &&= files.every((file) => file.endsWith(".ts"));
  try {
    for (const file of files.filter((name) => name.endsWith(".ts"))) await compile(file);
  } catch (error) {
    print(`not compiled: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (isStopping) return;
  children.changed(files);
  print(`changed: ${files.join(", ")}`);
  const old = platform;
  platform = undefined;
  // The old process is killed, because a normal stop waits one second for callers. A crash loses no data.
  if (old && old.exitCode === null && old.signalCode === null) {
    const exit = new Promise((finish) => old.once("exit", finish));
    old.kill("SIGKILL");
    await exit;
  }
  uncheckedChange = true;
  start();
}

async function compile(file: string): Promise<void> {
  const source = join(root, file);
  if (!(await stat(source).catch(() => undefined))) return;
  isPrepared &&= !graphSource.test(await readFile(source, "utf8"));
  const output = join(
    root,
    file.includes("/src/") ? file.replace("/src/", "/dist/") : file.replace("schema/", "schema/dist/"),
  );
  const target = output.replace(/\.ts$/, ".js");
  const { code, map } = await transformFile(source, {
    configFile: join(root, ".swcrc"),
    sourceMaps: true,
    sourceFileName: relative(dirname(target), source),
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(
    target,
    `${code.replace(/\n\/\/# sourceMappingURL=[^\n]*\n?$/, "")}\n//# sourceMappingURL=${basename(target)}.map\n`,
  );
  await writeFile(`${target}.map`, map ?? "");
}

function checkTypes(): void {
  uncheckedChange = false;
  checking?.kill();
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [compiler, "-b"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  checking = child;
  child.once("exit", (code) => {
    if (code !== null && code !== 0) print("the type check found errors");
  });
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const watcher of watchers) watcher.close();
  clearTimeout(timer);
  await restarting;
  checking?.kill();
  children.close();
  const old = platform;
  platform = undefined;
  if (old && old.exitCode === null && old.signalCode === null) {
    const exit = new Promise((finish) => old.once("exit", finish));
    old.kill("SIGTERM");
    await exit;
  }
  await database.stop();
  process.exit(0);
}
