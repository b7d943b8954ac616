/** A response object. Its keys come from clients and subgraphs, so inherited properties must never be read or set. */
export type Fields = Record<string, unknown>;

/** Whether a value is an object and not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the own property with this name, never an inherited property. */
export function ownValue(target: Fields, key: string): unknown {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** Sets an own property, even when an inherited setter such as `__proto__` has the same name. */
export function setOwn(target: Fields, key: string, value: unknown): void {
  if (key in target && !Object.hasOwn(target, key)) {
    // `__proto__` is a setter, and an assignment cannot override a frozen prototype's property.
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    target[key] = value;
  }
}
