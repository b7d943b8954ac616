import type { ChildProcess } from "node:child_process";
import { FileOutage } from "../errors/file-failure.js";

/**
 * Throws FileOutage when a child process did not start because no file descriptor was left. Node then gives it no
 * streams, and emits an error that would end this process if nobody listened.
 */
export function requireStarted(child: Pick<ChildProcess, "once"> & { readonly stdio?: unknown }): void {
  if (child.stdio !== undefined) return;
  child.once("error", () => undefined);
  throw new FileOutage("EMFILE", "No program can be started, since no file descriptor is left");
}
