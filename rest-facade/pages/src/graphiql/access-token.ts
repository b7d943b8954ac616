/** A tab keeps the token until it is closed. */
const storageKey = "factory:access-token";

const howToGetOne = "On the machine of the platform, `npm run -s token` prints one, which lasts 15 minutes.";

/** The words for the page without a token. */
export const missingToken = `A token is missing, so the platform refuses queries. ${howToGetOne} Paste it here.`;

export interface AccessToken {
  readonly text: string;
  /** The time at which it ends (ms), unless it does not tell. */
  readonly endTime: number | undefined;
}

/** Reads what a person has pasted, also with `Bearer` before it. Undefined for what cannot be a token. */
export function readToken(pasted: string): AccessToken | undefined {
  const text = pasted.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, "");
  const [, claims] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
  if (claims === undefined) return undefined;
  return { text, endTime: endTimeIn(claims) };
}

/** The words for a token, at a time (ms). */
export function describeToken({ endTime }: AccessToken, now: number): string {
  if (endTime === undefined) return "Queries and subscriptions send the token.";
  const time = new Date(endTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return endTime <= now
    ? `The token ended at ${time}, so the platform refuses it. ${howToGetOne}`
    : `Queries and subscriptions send the token, which ends at ${time}.`;
}

export const storedToken = (storage: Storage): AccessToken | undefined => readToken(storage.getItem(storageKey) ?? "");

export function storeToken(storage: Storage, token: AccessToken | undefined): void {
  if (token) storage.setItem(storageKey, token.text);
  else storage.removeItem(storageKey);
}

/** The claim `exp` of a JSON Web Token, in milliseconds. */
function endTimeIn(claims: string): number | undefined {
  try {
    const { exp } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
