type TextEncoding = "utf8" | "utf16le" | "utf16be" | "utf32le" | "utf32be";

interface DetectedEncoding {
  encoding: TextEncoding;
  bomLength: number;
}

/** Detects the encoding by the byte order mark; without one it is UTF-8. */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf8", bomLength: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { encoding: "utf32le", bomLength: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: "utf32be", bomLength: 4 };
  if (a === 0xff && b === 0xfe) return { encoding: "utf16le", bomLength: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf16be", bomLength: 2 };
  return { encoding: "utf8", bomLength: 0 };
}

/** A file's text without its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const { encoding, bomLength } = detectEncoding(bytes);
  return decodeBody(bytes.subarray(bomLength), encoding);
}

/** Decodes the bytes after the byte order mark. */
export function decodeBody(body: Uint8Array, encoding: TextEncoding): string {
  const buffer = asBuffer(body);
  switch (encoding) {
    case "utf8":
      return buffer.toString("utf8");
    case "utf16le":
      return buffer.toString("utf16le");
    case "utf16be":
      return swapped(buffer, 2).toString("utf16le");
    case "utf32le":
      return decodeUtf32(buffer);
    case "utf32be":
      return decodeUtf32(swapped(buffer, 4));
  }
}

/** Encodes a text without a byte order mark. */
export function encodeBody(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case "utf8":
      return Buffer.from(text, "utf8");
    case "utf16le":
      return Buffer.from(text, "utf16le");
    case "utf16be":
      return Buffer.from(text, "utf16le").swap16();
    case "utf32le":
      return encodeUtf32(text);
    case "utf32be":
      return encodeUtf32(text).swap32();
  }
}

/** A buffer on the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function swapped(buffer: Buffer, unit: 2 | 4): Buffer {
  const whole = Buffer.from(buffer.subarray(0, buffer.length - (buffer.length % unit)));
  return unit === 2 ? whole.swap16() : whole.swap32();
}

function decodeUtf32(buffer: Buffer): string {
  const parts: string[] = [];
  for (let i = 0; i + 4 <= buffer.length; i += 4) {
    const point = buffer.readUInt32LE(i);
    parts.push(point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd");
  }
  return parts.join("");
}

function encodeUtf32(text: string): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const buffer = Buffer.alloc(points.length * 4);
  points.forEach((point, index) => {
    buffer.writeUInt32LE(point, index * 4);
  });
  return buffer;
}
