import { crc32, deflateRawSync } from "node:zlib";

/** A zip archive with these files. Any name is allowed. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const compressedText = deflateRawSync(text);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(text), 10);
    fields.writeUInt32LE(compressedText.length, 14);
    fields.writeUInt32LE(Buffer.byteLength(text), 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), fields, name, compressedText]);
    centrals.push(Buffer.concat([Buffer.from("504b01021400", "hex"), fields, place, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  const count = Object.keys(files).length;
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

interface PackageContent {
  readonly id: string;
  readonly version: string;
  /** XML elements inside `metadata`, in addition to id and version. */
  readonly metadata?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A library's NuGet package. It has one assembly for .NET 8 unless `files` is given. */
export function aPackage({ id, version, metadata = "", files = { "lib/net8.0/A.dll": "MZ" } }: PackageContent): Buffer {
  const nuspec = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata><id>${id}</id><version>${version}</version>${metadata}</metadata>
</package>`;
  return zipOf({
    "_rels/.rels": "<Relationships/>",
    [`${id}.nuspec`]: nuspec,
    ...files,
    "[Content_Types].xml": "<Types/>",
  });
}
