import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bareEnvironment } from "@factory/platform/settings/environment";

const run = promisify(execFile);
const program = (name: string) => fileURLToPath(new URL(`../../gateway/platform/dist/${name}.js`, import.meta.url));

export const passphrase = "correct horse battery staple";

/** The exit code and everything that the tool has printed. */
interface ToolEnd {
  readonly code: number;
  readonly output: string;
}

/** Runs an operator's command to its end. */
export async function tool(
  name: "backup" | "restore" | "accept-folder",
  args: readonly string[],
  variables: Record<string, string>,
): Promise<ToolEnd> {
  const env = { ...bareEnvironment(), BACKUP_PASSPHRASE: passphrase, ...variables };
  try {
    const { stdout, stderr } = await run(process.execPath, ["--no-warnings", program(name), ...args], { env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

/** Starts a tool and kills it as soon as `when` says so. Returns whether it was still running. */
export async function killedTool(
  name: "backup" | "restore",
  args: readonly string[],
  variables: Record<string, string>,
  when: () => Promise<boolean>,
): Promise<boolean> {
  const env = { ...bareEnvironment(), BACKUP_PASSPHRASE: passphrase, ...variables };
  const child = spawn(process.execPath, ["--no-warnings", program(name), ...args], { env, stdio: "ignore" });
  const exitSignal = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal)),
  );
  while (child.exitCode === null && !(await when())) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  return (await exitSignal) === "SIGKILL";
}
