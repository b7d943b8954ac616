/** `ENOENT` and the like. Tells by the member, not by instanceof: under jest Node's errors come from another realm. */
export function systemErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
