import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type PlatformProcess, removeData, startPlatformProcess } from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";

const askEveryMs = 100;
const answerMs = 25_000;
const mostStarts = 5;

interface ReleaseChoice {
  readonly checkout: string;
  readonly dataDir: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** One process that runs a release at an address that does not change. While it runs, it is asked all the time. */
export class RunningRelease {
  readonly url: string;
  readonly dataDir: string;
  /** The answers to reads other than 200, by status, while the process was ready. 0: no answer. */
  readonly failures = new Map<number, number>();
  reads = 0;
  /** Starts that ended before the process was ready. A supervisor repeats them, as this does. */
  failedStarts = 0;
  readonly #choice: ReleaseChoice;
  readonly #port: number;
  #process: PlatformProcess | undefined;
  #asking: Promise<void> = Promise.resolve();
  #token: (() => Promise<string>) | undefined;

  private constructor(choice: ReleaseChoice, port: number) {
    this.#choice = choice;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.dataDir = choice.dataDir;
  }

  static async choose(choice: ReleaseChoice): Promise<RunningRelease> {
    await mkdir(choice.dataDir, { recursive: true });
    return new RunningRelease(choice, await choosePort(0, "127.0.0.1"));
  }

  /** `variables` replace the choice's variables. From now on the process is asked with this token. */
  async start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
    const { dataDir, checkout } = this.#choice;
    const all = { ...this.#choice.variables, PORT: `${this.#port}`, ...variables };
    for (let attempt = 1; this.#process === undefined; attempt += 1)
      this.#process = await startPlatformProcess(dataDir, all, undefined, checkout).catch((error: unknown) => {
        if (attempt === mostStarts) throw error;
        this.failedStarts += 1;
        return undefined;
      });
    if (this.#token) this.ask(this.#token);
  }

  /** Reads all the time until the process is told to end. */
  ask(token: () => Promise<string>): void {
    this.#token = token;
    const runningProcess = this.#process;
    this.#asking = (async () => {
      while (this.#process === runningProcess) {
        const status = await this.#read(token);
        // an answer that came after the process was told to end is not a promise
        if (this.#process !== runningProcess) return;
        this.reads += 1;
        if (status !== 200) this.failures.set(status, (this.failures.get(status) ?? 0) + 1);
        await sleep(askEveryMs);
      }
    })();
  }

  async end(how: "stop" | "kill" = "stop"): Promise<void> {
    const ending = this.#process;
    this.#process = undefined;
    await this.#asking;
    await ending?.[how]();
  }

  async remove(): Promise<void> {
    await this.end();
    await removeData(this.dataDir);
  }

  get internalUrl(): string {
    return this.#process?.internalUrl ?? "";
  }

  async #read(token: () => Promise<string>): Promise<number> {
    try {
      const headers = { authorization: `Bearer ${await token()}` };
      const response = await fetch(`${this.url}/v1/users?limit=1`, {
        headers,
        signal: AbortSignal.timeout(answerMs),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }
}
