import { parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** A payload with its JSON text's length in bytes. */
export interface Payload {
  readonly value: unknown;
  readonly bytes: number;
}

/** A payload that is parsed when its value is read, since most large ones are only named by a reference. */
export function unparsedPayload(text: string): Payload {
  let cache: { readonly value: unknown } | undefined;
  return {
    bytes: Buffer.byteLength(text),
    get value() {
      cache ??= { value: parseForeignJson(text) };
      return cache.value;
    },
  };
}
