/** Sets a member from foreign JSON as an own property. An assignment to `__proto__` would set the prototype. */
export function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}
