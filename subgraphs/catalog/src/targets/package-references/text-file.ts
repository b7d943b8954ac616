import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeBody, detectEncoding, encodeBody } from "@factory/template-engine/encodings";

/** A file's text, and its conversion back to bytes with the same encoding and byte order mark. */
export interface TextFile {
  readonly text: string;
  toBytes(text: string): Uint8Array;
}

export function readText(path: string, bytes: Uint8Array): TextFile {
  const { encoding, bomLength } = detectEncoding(bytes);
  const text = decodeBody(bytes.subarray(bomLength), encoding);
  const toBytes = (editedText: string) =>
    Buffer.concat([bytes.subarray(0, bomLength), encodeBody(editedText, encoding)]);
  // a file with another encoding, for example a Windows code page, would be damaged when it is written
  if (!Buffer.from(toBytes(text)).equals(bytes))
    throw injectionFailed(path, "its encoding is not UTF-8, and not UTF-16 with a byte order mark");
  return { text, toBytes };
}

export function injectionFailed(path: string, reason: string): DomainError {
  return new DomainError("LIBRARY_INJECTION_FAILED", {
    detail: `Package references cannot be added to ${path}: ${reason}.`,
    path,
  });
}
