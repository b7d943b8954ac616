/** A mail as a mail program reads it. */
interface ReadMail {
  /** The header values by their names in lower case, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parts' contents by their media types, decoded. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Reads a mail by RFC 5322 and RFC 2046: its headers, and the parts in `multipart/alternative`. */
export function readMail(source: string): ReadMail {
  const { headers, body } = split(source);
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) throw new Error("The mail has no parts");
  const parts = body
    .split(new RegExp(`^--${boundary}(?:--)?\r\n`, "m"))
    .slice(1, -1)
    .map(split);
  return {
    headers,
    parts: Object.fromEntries(
      parts.map((part) => [
        (part.headers["content-type"] ?? "").split(";")[0] ?? "",
        decoded(part.body, part.headers["content-transfer-encoding"] ?? "7bit"),
      ]),
    ),
  };
}

function split(source: string) {
  const end = source.indexOf("\r\n\r\n");
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { headers, body: source.slice(end + 4) };
}

function decoded(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
