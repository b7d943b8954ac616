import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PassThrough, type Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { BackupProblem } from "./backup-problem.js";
import { type Manifest, manifestForm, type Part } from "./manifest.js";
import { PassphraseKeys } from "./passphrase-keys.js";
import type { Progress } from "./progress.js";
import { OpenStream, SealStream } from "./sealed-stream.js";

const manifestFile = "manifest.json";

/** A folder with one backup's files: compressed, sealed under the passphrase, and listed in the manifest. */
export class BackupFolder {
  readonly path: string;
  readonly keys: PassphraseKeys;
  readonly #progress: Progress;

  private constructor(path: string, keys: PassphraseKeys, progress: Progress) {
    this.path = path;
    this.keys = keys;
    this.#progress = progress;
  }

  /** Makes the folder for a new backup, with mode 0700. It must be empty or missing. */
  static async make(path: string, passphrase: string, progress: Progress): Promise<BackupFolder> {
    const folder = resolve(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new BackupProblem(`${folder} is not empty: name a new folder.`);
    await chmod(folder, 0o700);
    return new BackupFolder(folder, await PassphraseKeys.make(passphrase), progress);
  }

  /** Removes a failed backup's folder. */
  async discard(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** Reads a complete backup's manifest. */
  static async open(
    path: string,
    passphrase: string,
    progress: Progress,
  ): Promise<{ folder: BackupFolder; manifest: Manifest }> {
    const signedManifest = await readSigned(resolve(path));
    const { signature, ...content } = signedManifest;
    const result = manifestForm.safeParse(content);
    if (!result.success) throw new BackupProblem(`${path} has a manifest that this release cannot read.`);
    const keys = await PassphraseKeys.open(passphrase, result.data.key);
    if (typeof signature !== "string" || !keys.isSigned(JSON.stringify(content), signature))
      throw new BackupProblem(`${path} has a manifest that was changed.`);
    return { folder: new BackupFolder(resolve(path), keys, progress), manifest: result.data };
  }

  /** Writes a stream as a backup file. It is on the disk when this resolves. */
  async write(file: string, source: Readable, ...through: Transform[]): Promise<Part> {
    const digest = new Digest();
    const target = createWriteStream(join(this.path, file), { flags: "wx", mode: 0o600, flush: true });
    const { signal } = this.#progress;
    const seal = new SealStream(this.keys.forFile(file));
    await pipeline([source, ...through, this.#progress.counting(), createGzip({ level: 1 }), seal, digest, target], {
      signal,
    });
    return { file, ...digest.result() };
  }

  /** Reads a backup file into the last stream in `into`. Throws BackupProblem for a damaged one. */
  async read({ file, sha256 }: Part, ...into: NodeJS.WritableStream[]): Promise<void> {
    const digest = new Digest();
    const openStream = new OpenStream(this.keys.forFile(file));
    const { signal } = this.#progress;
    const source = createReadStream(join(this.path, file));
    try {
      await pipeline([source, digest, openStream, createGunzip(), this.#progress.counting(), ...into], { signal });
    } catch (error) {
      throw isDamage(error) ? new BackupProblem(`${file} of the backup is damaged.`, { cause: error }) : error;
    }
    if (digest.result().sha256 !== sha256) throw new BackupProblem(`${file} of the backup is damaged.`);
  }

  /** Reads a small backup file whole. */
  async readText(part: Part): Promise<string> {
    const content = new PassThrough();
    const whole = text(content);
    // A failure is reported by `read`.
    whole.catch(() => undefined);
    await this.read(part, content);
    return whole;
  }

  /** Compares a file with the manifest. */
  async verify({ file, bytes, sha256 }: Part): Promise<void> {
    const size = await stat(join(this.path, file)).then(
      ({ size }) => size,
      () => undefined,
    );
    if (size === undefined) throw new BackupProblem(`${file} of the backup is missing.`);
    const digest = createHash("sha256");
    for await (const chunk of createReadStream(join(this.path, file)) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      this.#progress.moved(chunk.length);
    }
    if (size !== bytes || digest.digest("hex") !== sha256) throw new BackupProblem(`${file} of the backup is damaged.`);
  }

  /** Completes the backup: the manifest appears whole or not at all. */
  async complete(content: Omit<Manifest, "key">): Promise<Manifest> {
    const manifest = { ...content, key: this.keys.recipe };
    const signature = this.keys.sign(JSON.stringify(manifest));
    const unfinishedFile = join(this.path, `${manifestFile}.unfinished`);
    const file = await open(unfinishedFile, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ ...manifest, signature }, null, 1)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinishedFile, join(this.path, manifestFile));
    const folder = await open(this.path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return manifest;
  }
}

async function readSigned(folder: string): Promise<Record<string, unknown>> {
  const content = await readFile(join(folder, manifestFile), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (content === undefined)
    throw new BackupProblem(`${folder} is not a complete backup: it has no ${manifestFile}. Make another backup.`);
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    throw new BackupProblem(`${folder} has a manifest that was changed.`);
  }
}

function isDamage(error: unknown): boolean {
  const code = systemErrorCode(error) ?? "";
  return (error instanceof Error && error.name === "SealBroken") || code === "ENOENT" || code.startsWith("Z_");
}

class Digest extends Transform {
  readonly #sha256 = createHash("sha256");
  #bytes = 0;

  override _transform(bytes: Buffer, _encoding: BufferEncoding, callback: (error: null, bytes: Buffer) => void): void {
    this.#sha256.update(bytes);
    this.#bytes += bytes.length;
    callback(null, bytes);
  }

  result(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#sha256.digest("hex") };
  }
}
