import { spawn } from "node:child_process";

export interface OwnerWatch {
  dismiss(): void;
}

// The pipe closes when this process dies, also by SIGKILL. A line on the pipe ends the watch without a signal.
const script = 'read -r _ && exit 0; kill -9 "-$1"';

/** Starts a process that kills the process group when this process dies without doing so. Throws when it does not start. */
export function watchOwner(group: number): OwnerWatch {
  const watch = spawn("/bin/sh", ["-c", script, "sh", String(group)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watch.on("error", () => undefined);
  // Without a place for pipes there is not even an input.
  if (watch.pid === undefined) throw new Error("The watch of a program did not start");
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return { dismiss: () => watch.stdin.end("done\n") };
}
