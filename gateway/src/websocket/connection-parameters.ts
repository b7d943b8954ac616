type Members = Readonly<Record<string, unknown>>;

/** The access token in the payload of `connection_init`. */
export const tokenFrom = (payload: Members | undefined): string | undefined =>
  headerFrom(payload, "authorization")?.replace(/^bearer +/i, "");

/** A header in the payload of `connection_init`: a member, or a member of `headers`, as clients send it. */
export function headerFrom(payload: Members | undefined, lowerCaseName: string): string | undefined {
  const headers = payload?.["headers"];
  const places = [payload, typeof headers === "object" ? (headers as Members | null) : undefined];
  for (const place of places)
    for (const [name, value] of Object.entries(place ?? {}))
      if (typeof value === "string" && name.toLowerCase() === lowerCaseName) return value;
  return undefined;
}
