import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeData } from "@factory/platform/client/platform-process";
import { freePort } from "@factory/runtime/postgres/cluster";
import { type ClusterLayout, ownDirectory, prepareClusterLayout } from "@factory/runtime/postgres/cluster-layout";
import { awaitServer } from "@factory/runtime/postgres/database-patience";
import { watchParent } from "@factory/runtime/postgres/parent-watch";
import { createLogger } from "@factory/runtime/telemetry/logger";

/** The folder in which Debian installs the servers, one folder for each version. */
const serversFolder = "/usr/lib/postgresql";
const lowest = 15;
const run = promisify(execFile);

/** The folder with the oldest supported server's programs; undefined where Debian has installed none. */
export const oldestPrograms = versionsOf(serversFolder)
  .filter((version) => version >= lowest)
  .toSorted((version, other) => version - other)
  .map((version) => join(serversFolder, String(version), "bin"))[0];

function versionsOf(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}

/** An operator's server, with the settings that its programs have by default. */
export interface OldestServer {
  /** The superuser's URL. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts an empty server. Its databases sort texts as English readers expect, and not by bytes. */
export async function startOldestServer(programs: string): Promise<OldestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "oldest-server-"));
  const layout = await prepareClusterLayout(dataDir);
  const { account, clusterDir, home } = layout;
  await ownDirectory(clusterDir, 0o700, account);
  const locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
  const options = ["-D", clusterDir, "--username=postgres", "--auth=trust", ...locale];
  await run(join(programs, "initdb"), options, { ...account, cwd: home });
  const port = await freePort();
  const stop = await launch(join(programs, "postgres"), layout, port);
  const url = `postgres://postgres:any@127.0.0.1:${port}/postgres`;
  await awaitServer(url, { logger: createLogger("test", "silent"), giveUpAfterMs: 120_000 });
  return {
    url,
    async close() {
      await stop();
      await removeData(dataDir);
    },
  };
}

async function launch(program: string, layout: ClusterLayout, port: number): Promise<() => Promise<void>> {
  const { account, clusterDir, home, socketDir } = layout;
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${socketDir}`];
  const parameters = settings.flatMap((setting) => ["-c", setting]);
  const child = spawn(program, ["-D", clusterDir, ...parameters], { ...account, cwd: home, stdio: "ignore" });
  await once(child, "spawn");
  const watch = watchParent(child.pid ?? 0, layout);
  return async () => {
    if (child.exitCode === null) {
      child.kill("SIGINT");
      await once(child, "exit");
    }
    watch.dismiss();
  };
}
