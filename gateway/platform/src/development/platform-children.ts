import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { StartOrder } from "./standby.js";

/** A changed file of these packages is loaded in the standby process already, which is then useless. */
const loadedInStandby = /^(?:schema|subgraphs\/runtime)\//;
const standbyProgram = fileURLToPath(new URL("../../dist/development/standby.js", import.meta.url));

/** The platform's processes in development: the one that runs, and one that waits to take its place. */
export class PlatformChildren {
  readonly #environment: NodeJS.ProcessEnv;
  #standby: ChildProcess | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** The process that waits to become the platform. */
  get waiting(): ChildProcess | undefined {
    const standby = this.#standby;
    return standby?.exitCode === null && standby.signalCode === null ? standby : undefined;
  }

  /** Starts the platform with the present code, in the standby process if there is one. */
  start(order: StartOrder): ChildProcess {
    const child = this.waiting ?? this.#spawn();
    this.#standby = undefined;
    child.send(order);
    return child;
  }

  /** Prepares the next start. Call it when the platform is ready, since loading takes the processor. */
  prepare(): void {
    if (!this.waiting) this.#standby = this.#spawn();
  }

  /** Ends the standby process if it has loaded a changed file. */
  changed(files: readonly string[]): void {
    if (files.some((file) => loadedInStandby.test(file))) this.close();
  }

  close(): void {
    this.#standby?.kill("SIGKILL");
    this.#standby = undefined;
  }

  #spawn(): ChildProcess {
    return spawn(process.execPath, ["--no-warnings", standbyProgram], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
  }
}
