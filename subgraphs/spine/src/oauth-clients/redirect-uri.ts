/** Addresses of the machine that the browser runs on. */
const loopbackHosts = ["127.0.0.1", "[::1]", "localhost"];
/** Printable ASCII without what no parser agrees on (RFC 3986 section 2). */
const uriCharacters = /^[!#-;=?-[\]_a-z~]+$/;

/** Why a sign-in must not return to this address; undefined: it may. */
export function redirectUriProblem(uri: string): string | undefined {
  if (!uriCharacters.test(uri) || !URL.canParse(uri)) return "Must be an absolute URI.";
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes("#")) return "Must have no fragment.";
  if (uri.includes("*")) return "Must have no wildcard: addresses are compared as a whole.";
  if (username !== "" || password !== "") return "Must have no credentials.";
  if (protocol === "https:") return undefined;
  return protocol === "http:" && loopbackHosts.includes(hostname)
    ? undefined
    : "Must be https, or http on a loopback address.";
}

/** Exact, but for the port of a loopback address over http, which a native app learns at its start (RFC 8252 7.3). */
export function redirectUriAllowed(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const portless = withoutLoopbackPort(uri);
  return portless !== undefined && registered.some((known) => withoutLoopbackPort(known) === portless);
}

/** Names and addresses that lead to the machine itself: RFC 6761 section 6.3, RFC 5735 section 3, IPv4 inside of IPv6. */
const ownMachine =
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])\.?$/;

/** Any process of the machine can listen there, so the address says nothing about who gets the code. */
export const isOnOwnMachine = (uri: string) => ownMachine.test(new URL(uri).hostname);

const loopbackUri = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(\/.*)?$/;

function withoutLoopbackPort(uri: string): string | undefined {
  const [, origin, rest = ""] = loopbackUri.exec(uri) ?? [];
  return origin === undefined || redirectUriProblem(uri) !== undefined ? undefined : origin + rest;
}
