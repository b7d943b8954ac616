import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string | Uint8Array;
  content?: string | Uint8Array;
  /** Unix mode with its type, `0o100755`; 0 is an archive made elsewhere. */
  mode?: number;
  stored?: boolean;
  /** General purpose flags; bit 11 (UTF-8 names) is set when left out. */
  flags?: number;
  method?: number;
  /** Wrong values for the headers. */
  size?: number;
  packedSize?: number;
  checksum?: number;
  /** The data bytes that replace the packed content. */
  packed?: Uint8Array;
  /** Points at the data that the entry with this index has, not at its own. */
  shares?: number;
}

const utf8Names = 0x800;
const madeByUnix = 3 << 8;

/** Writes a real zip, honest or not: nothing is checked. */
export function zipOf(files: Record<string, string | Uint8Array> | readonly ZipEntry[]): Buffer {
  const entries = Array.isArray(files)
    ? (files as readonly ZipEntry[])
    : Object.entries(files).map(([name, content]): ZipEntry => ({ name, content }));
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, fields, packed } = packedEntry(entry);
    if (entry.shares === undefined) {
      const local = Buffer.concat([header(0x04034b50, 20), fields, lengths(name), name, packed]);
      offsets.push(offset);
      parts.push(local);
      offset += local.length;
    } else offsets.push(offsets[entry.shares] ?? 0);
    directory.push(centralHeader(entry, { name, fields, offset: offsets.at(-1) ?? 0 }));
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length & 0xffff, 8);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

/** A package as NuGet packs it: its own metadata around `content/`. */
export function nupkgOf(content: Record<string, string | Uint8Array>, folder = "content/"): Buffer {
  const files = Object.entries(content).map(([path, bytes]) => [`${folder}${path}`, bytes] as const);
  return zipOf({
    "_rels/.rels": "<Relationships/>",
    "Sample.Templates.nuspec": "<package/>",
    ...Object.fromEntries(files),
    "[Content_Types].xml": "<Types/>",
    "package/services/metadata/core-properties/0a1b.psmdcp": "<coreProperties/>",
    ".signature.p7s": "signature",
  });
}

function packedEntry(entry: ZipEntry): { name: Buffer; fields: Buffer; packed: Uint8Array } {
  const name = typeof entry.name === "string" ? Buffer.from(entry.name) : Buffer.from(entry.name);
  const content = Buffer.from(entry.content ?? "");
  const packedBytes = entry.packed ?? (entry.stored ? content : deflateRawSync(content));
  const fields = Buffer.alloc(20);
  fields.writeUInt16LE(entry.flags ?? utf8Names, 0);
  fields.writeUInt16LE(entry.method ?? (entry.stored ? 0 : 8), 2);
  fields.writeUInt32LE(entry.checksum ?? crc32(content), 8);
  fields.writeUInt32LE(entry.packedSize ?? packedBytes.length, 12);
  fields.writeUInt32LE(entry.size ?? content.length, 16);
  return { name, fields, packed: packedBytes };
}

function centralHeader(entry: ZipEntry, at: { name: Buffer; fields: Buffer; offset: number }): Buffer {
  const madeBy = Buffer.alloc(2);
  const mode = entry.mode ?? 0o100644;
  madeBy.writeUInt16LE(mode === 0 ? 20 : madeByUnix | 20, 0);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((mode << 16) >>> 0, 6);
  rest.writeUInt32LE(at.offset, 10);
  const start = header(0x02014b50, 0).subarray(0, 4);
  return Buffer.concat([start, madeBy, Buffer.from([20, 0]), at.fields, lengths(at.name), rest, at.name]);
}

function header(signature: number, version: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt32LE(signature, 0);
  bytes.writeUInt16LE(version, 4);
  return bytes;
}

/** Name length, and no extra field. */
function lengths(name: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(name.length, 0);
  return bytes;
}
