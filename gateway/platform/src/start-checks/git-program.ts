import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import type { MachineCheck } from "./start-check.js";

const run = promisify(execFile);

/** Repositories and template sources need git. */
export const gitProgram: MachineCheck = async () => {
  try {
    await run("git", ["--version"]);
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    const cause =
      code === "ENOENT" ? "The program git was not found" : `The program git does not run (${code ?? "it failed"})`;
    return `${cause}. Install git, or add its folder to PATH.`;
  }
};
