/** A NuGet index, without a login. */
export const isFeedUrl = (text: string) =>
  /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === "" && new URL(text).password === "";

/** Allows no path or query after the port, because query options could turn off certificate verification. */
export const isSmtpUrl = (text: string) =>
  /^smtps?:\/\/[^/?#\s]+\/?$/i.test(text) && URL.canParse(text) && new URL(text).hostname !== "";

/** The platform serves fixed paths, so that a proxy cannot serve it below another path. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(text);
  const rest = [search, hash, username, password].join("");
  return /^https?:$/.test(protocol) && /^\/*$/.test(pathname) && rest === "";
}

export const isPostgresUrl = (text: string) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);
