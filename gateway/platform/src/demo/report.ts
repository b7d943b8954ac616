/** Prints the demo's progress for a person at a terminal. */
export class Report {
  readonly #started = performance.now();
  #progress = false;

  step(title: string): void {
    this.#endProgress();
    process.stdout.write(`\n\u2500\u2500 ${title} ${"\u2500".repeat(Math.max(0, 68 - title.length))}\n`);
  }

  line(text: string): void {
    this.#endProgress();
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(2).padStart(6);
    process.stdout.write(`${seconds}s  ${text}\n`);
  }

  /** Prints a request and the given members from its answer, each shortened to one line. */
  answer(request: string, status: number, body: object): void {
    this.line(`${request} -> ${status}`);
    for (const [name, value] of Object.entries(body)) {
      const text = JSON.stringify(value) ?? "";
      process.stdout.write(`           ${name}: ${text.length > 100 ? `${text.slice(0, 97)}...` : text}\n`);
    }
  }

  /** Prints a line that the next output overwrites. Prints nothing if the output is not a terminal. */
  progress(text: string): void {
    if (!process.stdout.isTTY) return;
    this.#progress = true;
    process.stdout.write(`\r\u001b[2K           ${text}`);
  }

  block(text: string): void {
    this.#endProgress();
    process.stdout.write(`${text.replace(/^/gm, "           ").trimEnd()}\n`);
  }

  #endProgress(): void {
    if (this.#progress) process.stdout.write("\r\u001b[2K");
    this.#progress = false;
  }
}
