/** The access token in `connection_init`. */
export function tokenFrom(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return (textOf(params, "authorization") ?? textOf(params, "Authorization"))?.replace(/^bearer +/i, "");
}

/** A text in `connection_init`. */
export function textOf(params: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined {
  const value = params?.[name];
  return typeof value === "string" ? value : undefined;
}
