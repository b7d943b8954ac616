import { parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** A payload with the length of its JSON text in bytes. */
export interface Payload {
  readonly value: unknown;
  readonly bytes: number;
}

/** A payload that is parsed when its value is read, since most large ones are only named by a reference. */
export function unparsedPayload(text: string): Payload {
  let known: { readonly value: unknown } | undefined;
  return {
    bytes: Buffer.byteLength(text),
    get value() {
      known ??= { value: parseForeignJson(text) };
      return known.value;
    },
  };
}
