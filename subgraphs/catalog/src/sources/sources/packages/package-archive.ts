import { promisify } from "node:util";
import { crc32, inflateRaw, inflateRawSync, type ZlibOptions } from "node:zlib";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from "yauzl";
import { isExecutable, symlinkMode } from "../../../git/git/tree-listing.js";
import { sourceTooLarge, sourceUnavailable, sourceUnsafe } from "../references/source-failure.js";
import { maxFiles, requireSafeNames } from "../references/source-limits.js";
import { unescapedPath } from "./package-layout.js";

export interface ArchiveFile {
  readonly path: string;
  readonly mode: string;
  /** The size that the archive states. Reading the file verifies it. */
  readonly size: number;
  readonly entry: Entry;
}

// Folders and the package's metadata are entries too.
const maxEntries = 3 * maxFiles;
const smallFileBytes = 256 * 1024;
const storedMethod = 0;
const deflatedMethod = 8;
const utf8NameFlag = 0x800;

const fileTypeMask = 0o170000;
const symlinkType = 0o120000;
const folderType = 0o040000;
const regularType = 0o100000;

const inflateInPool = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

/**
 * A zip archive in memory whose names are all checked. Files are uncompressed one by one, never to more than their
 * stated size.
 */
export class PackageArchive {
  readonly #bytes: Buffer;
  readonly #zip: ZipFile;

  private constructor(
    bytes: Buffer,
    zip: ZipFile,
    readonly files: readonly ArchiveFile[],
  ) {
    this.#bytes = bytes;
    this.#zip = zip;
  }

  static async open(bytes: Buffer): Promise<PackageArchive> {
    // Names are decoded here, since yauzl changes backslashes into slashes or refuses without naming the entry.
    const zip = await readable(fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: false }));
    if (zip.entryCount > maxEntries)
      throw sourceTooLarge(`The package has more than ${maxEntries} entries, which is the limit.`);
    const files: ArchiveFile[] = [];
    const folders: { path: string; mode: string }[] = [];
    for (const entry of await readable(entriesOf(zip))) {
      const { path, mode, folder } = readEntry(entry);
      if (folder) folders.push({ path, mode });
      else files.push({ path, mode, size: entry.uncompressedSize, entry });
    }
    for (const folder of folders) requireSafeNames([folder]);
    requireSafeNames(files);
    return new PackageArchive(bytes, zip, files);
  }

  async read({ path, entry }: ArchiveFile): Promise<Buffer> {
    const { fileDataStart } = await readable(this.#zip.readLocalFileHeaderPromise(entry, { minimal: true }));
    const packedBytes = this.#bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    const bytes = await unpacked(packedBytes, path, entry);
    if (bytes.length !== entry.uncompressedSize) throw wrongSize(path);
    if (crc32(bytes) !== entry.crc32) throw damagedPackage();
    return bytes;
  }
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

function readEntry(entry: Entry): { path: string; mode: string; folder: boolean } {
  const name = unescapedPath(entryName(entry));
  const folder = name.endsWith("/");
  const path = folder ? name.slice(0, -1) : name;
  if (entry.isEncrypted()) throw sourceUnsafe(`"${path}" is encrypted. Encryption is not supported.`, [path]);
  const unixMode = entry.externalFileAttributes >>> 16;
  const type = unixMode & fileTypeMask;
  if (type === symlinkType) return { path, mode: symlinkMode, folder };
  // Archives that were made outside Unix have no file type.
  if (type !== 0 && type !== (folder ? folderType : regularType))
    throw sourceUnsafe(`"${path}" is not a regular file. Only files and folders are allowed.`, [path]);
  return { path, mode: isExecutable(unixMode.toString(8)) ? "100755" : "100644", folder };
}

/** Decodes a name as UTF-8 even without the flag, as .NET does. Other names without the flag are code page 437. */
function entryName({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fileNameRaw);
  } catch {
    if ((generalPurposeBitFlag & utf8NameFlag) !== 0) throw notUtf8(fileNameRaw);
    return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  }
}

async function unpacked(
  packedBytes: Buffer,
  path: string,
  { compressionMethod, uncompressedSize }: Entry,
): Promise<Buffer> {
  if (compressionMethod === storedMethod) return packedBytes;
  if (compressionMethod !== deflatedMethod) {
    throw sourceUnavailable(`"${path}" is compressed by the method ${compressionMethod}. Only deflate is supported.`);
  }
  const options = {
    // Inflating stops one byte after the stated size.
    maxOutputLength: Math.max(1, uncompressedSize),
    chunkSize: Math.min(Math.max(64, uncompressedSize + 1), 1024 * 1024),
  };
  try {
    if (uncompressedSize <= smallFileBytes) return inflateRawSync(packedBytes, options);
    return await inflateInPool(packedBytes, options);
  } catch (error) {
    throw systemErrorCode(error) === "ERR_BUFFER_TOO_LARGE" ? wrongSize(path) : damagedPackage();
  }
}

/** Turns any error of yauzl into an error about the package. */
async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw /encryption/.test(String(error))
      ? sourceUnsafe("The package is encrypted. Encryption is not supported.")
      : damagedPackage();
  }
}

function notUtf8(name: Uint8Array): Error {
  const shownName = Buffer.from(name)
    .toString("latin1")
    .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return sourceUnsafe(`The package has the name "${shownName}", which is not valid UTF-8.`, [shownName]);
}

const wrongSize = (path: string) =>
  sourceUnsafe(`The size of "${path}" differs from the size that the package states.`, [path]);
const damagedPackage = () => sourceUnavailable("The package is damaged, or it is not a zip archive.");
