import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../running-spine.fixture.js";

/** A folder that takes mails instead of a mail server. */
export class TestOutbox {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<TestOutbox> {
    return new TestOutbox(await mkdtemp(join(tmpdir(), "outbox-")));
  }

  /** The mails to the address so far, the oldest first, without quoted-printable. */
  async mailsTo(email: string): Promise<string[]> {
    const files = (await readdir(this.folder)).filter((file) => file.endsWith(".eml")).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(join(this.folder, file), "utf8")));
    return texts
      .filter((text) => text.includes(`To: ${email}\r\n`))
      .map((text) => text.replaceAll("=\r\n", "").replaceAll("=3D", "="));
  }

  /** The mail number `count` to the address. Waits for it. */
  async mailTo(email: string, count = 1): Promise<string> {
    await until(async () => (await this.mailsTo(email)).length >= count);
    return (await this.mailsTo(email))[count - 1] ?? "";
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
