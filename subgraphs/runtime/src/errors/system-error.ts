/**
 * A system error's code, for example `ENOENT`. It does not use instanceof, because under jest Node's errors come from
 * another realm.
 */
export function systemErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
