import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeBody, detectEncoding, encodeBody } from "@factory/template-engine/encodings";

/** The text of a file, and the way back to bytes in the same encoding and with the same byte order mark. */
export interface TextFile {
  readonly text: string;
  toBytes(text: string): Uint8Array;
}

export function readText(path: string, bytes: Uint8Array): TextFile {
  const { encoding, bomLength } = detectEncoding(bytes);
  const text = decodeBody(bytes.subarray(bomLength), encoding);
  const toBytes = (edited: string) => Buffer.concat([bytes.subarray(0, bomLength), encodeBody(edited, encoding)]);
  // a file in a code page of old would come back damaged
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
