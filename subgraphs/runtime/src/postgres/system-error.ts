/**
 * The code of a system error, for example `ENOENT`. It does not use instanceof, because under jest errors of Node come
 * from another realm.
 */
export function systemErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
