import { Transform } from "node:stream";
import { BackupProblem } from "./backup-problem.js";

const reportEveryMs = 3000;
const longestSilenceMs = 10 * 60_000;

/** Prints what is done now at least every 3 s, and ends work that has stood still for ten minutes. */
export class Progress {
  readonly #print: (line: string) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #stalled = new AbortController();
  #work = "";
  #bytes = 0;
  #movedAt = Date.now();

  constructor(print: (line: string) => void = (line) => process.stderr.write(`${line}\n`)) {
    this.#print = print;
    this.#timer = setInterval(() => this.#report(), reportEveryMs);
  }

  /** Aborted when nothing has moved for ten minutes. */
  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  /** Says what is done from now on. */
  begin(work: string): void {
    this.#work = work;
    this.#bytes = 0;
    this.moved(0);
    this.#print(work);
  }

  /** As `begin`, for one step among many: it is printed when it takes long. */
  step(work: string): void {
    this.#work = work;
    this.moved(0);
  }

  say(line: string): void {
    this.moved(0);
    this.#print(line);
  }

  /** A stream that counts the bytes which pass through it. */
  counting(): Transform {
    return new Transform({
      transform: (bytes: Buffer, _encoding, callback) => {
        this.moved(bytes.length);
        callback(null, bytes);
      },
    });
  }

  end(): void {
    clearInterval(this.#timer);
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
    this.#movedAt = Date.now();
  }

  #report(): void {
    if (this.#work !== "") this.#print(`  ${this.#work}: ${Math.round(this.#bytes / 1e6)} MB`);
    if (Date.now() - this.#movedAt > longestSilenceMs)
      this.#stalled.abort(new BackupProblem(`Nothing has moved for ten minutes: ${this.#work}`));
  }
}
