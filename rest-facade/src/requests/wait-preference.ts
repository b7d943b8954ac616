/** A member in a preference list: a token with an optional value as token or quoted text, then parameters. */
const waitForm = /^wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;.*)?$/i;

/**
 * The seconds in the preference `wait` in the header Prefer (RFC 7240, section 4.3). The first one counts. Undefined:
 * there is none, or it cannot be read, since a preference never makes a request fail (section 2).
 */
export function waitPreference(header: string | readonly string[] | undefined): number | undefined {
  const lines = typeof header === "string" ? [header] : (header ?? []);
  for (const member of lines.flatMap((line) => line.split(","))) {
    const name = /^\s*([^\s=;]+)/.exec(member)?.[1]?.toLowerCase();
    if (name !== "wait") continue;
    const [, quotedText, plain] = waitForm.exec(member.trim()) ?? [];
    const seconds = quotedText ?? plain;
    return seconds === undefined ? undefined : Number(seconds);
  }
  return undefined;
}
