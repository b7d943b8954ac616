import { spawn } from "node:child_process";
import { join } from "node:path";
import type { ClusterLayout } from "./cluster-layout.js";

export interface ParentWatch {
  dismiss(): void;
}

// A pipe from us ends at our death, also by SIGKILL; a line on it means that the server is none of its business any
// more.
const script = `
read -r _ && exit 0
ours() { [ "$(head -n 1 "$file" 2>/dev/null)" = "$pid" ]; }
pid=$1 file=$2
ours && kill -INT "$pid" && sleep 5 && ours && kill -QUIT "$pid"
`;

/** Stops PostgreSQL when this process dies without having stopped it. */
export function watchParent(postgresPid: number, layout: ClusterLayout): ParentWatch {
  const file = join(layout.clusterDir, "postmaster.pid");
  const watch = spawn("/bin/sh", ["-c", script, "sh", String(postgresPid), file], {
    ...layout.account,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    // a Ctrl-C reaches the whole foreground group; this one has to outlive us
    detached: true,
  });
  watch.on("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return { dismiss: () => watch.stdin.end("done\n") };
}
