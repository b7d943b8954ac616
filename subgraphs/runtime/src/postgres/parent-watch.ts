import { spawn } from "node:child_process";
import { join } from "node:path";
import { requireStarted } from "../files/started-child.js";
import type { ClusterLayout } from "./cluster-layout.js";

export interface ParentWatch {
  dismiss(): void;
}

// The pipe closes when this process dies, also by SIGKILL. A line on the pipe ends the watch without stopping the
// server.
const script = `
read -r _ && exit 0
ours() { [ "$(head -n 1 "$file" 2>/dev/null)" = "$pid" ]; }
pid=$1 file=$2
ours && kill -INT "$pid" && sleep 5 && ours && kill -QUIT "$pid"
`;

/** Starts a process that stops PostgreSQL when this process dies without stopping it. */
export function watchParent(postgresPid: number, layout: ClusterLayout): ParentWatch {
  const file = join(layout.clusterDir, "postmaster.pid");
  const watch = spawn("/bin/sh", ["-c", script, "sh", String(postgresPid), file], {
    ...layout.account,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    // Ctrl-C reaches the whole foreground process group; the watch must survive this process.
    detached: true,
  });
  requireStarted(watch);
  watch.on("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return { dismiss: () => watch.stdin.end("done\n") };
}
