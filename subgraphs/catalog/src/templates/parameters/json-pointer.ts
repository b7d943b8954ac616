import { isJsonObject, type JsonValue } from "@factory/template-engine/json-value";

/** The value at a JSON pointer (RFC 6901), which may be written as a URI fragment. Undefined if the pointer leads to no value. */
export function atPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  const plain = pointer.startsWith("#") ? decoded(pointer.slice(1)) : pointer;
  if (plain !== "" && !plain.startsWith("/")) return undefined;
  let current: JsonValue | undefined = root;
  for (const key of pointerParts(plain)) {
    if (Array.isArray(current)) current = current[Number(key)] as JsonValue | undefined;
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

/** The names and numbers in a JSON pointer. */
export const pointerParts = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The member name in a JSON pointer with one segment. */
export function nameIn(pointer: string): string {
  return pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
