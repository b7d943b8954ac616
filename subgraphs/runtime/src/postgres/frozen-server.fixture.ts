import { execFileSync } from "node:child_process";

/**
 * Freezes a server with all its processes, as a debugger or a paused machine does. Returns a function that continues
 * them.
 */
export function freezeServer(postmaster: number): () => void {
  const processList = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const children = processList.split("\n").flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return parent === postmaster && pid ? [pid] : [];
  });
  const processes = [postmaster, ...children];
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    for (const pid of processes) {
      try {
        process.kill(pid, name);
      } catch {
        // a backend that has ended meanwhile
      }
    }
  };
  signal("SIGSTOP");
  return () => signal("SIGCONT");
}
