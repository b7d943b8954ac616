/** Loopback hosts that a redirect URI may name with http. */
const loopbackHosts = ["127.0.0.1", "[::1]", "localhost"];
/** The characters in RFC 3986 section 2: other characters are read differently by different parsers. */
const uriCharacters = /^[!#-;=?-[\]_a-z~]+$/;

/** Why a client must not register this redirect URI; undefined if it may. */
export function redirectUriProblem(uri: string): string | undefined {
  if (!uriCharacters.test(uri) || !URL.canParse(uri)) return "The redirect URI must be an absolute URI.";
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes("#")) return "The redirect URI must not have a fragment.";
  if (uri.includes("*")) return "The redirect URI must not have a wildcard: URIs are compared exactly.";
  if (username !== "" || password !== "") return "The redirect URI must not have a user name or password.";
  if (protocol === "https:") return undefined;
  return protocol === "http:" && loopbackHosts.includes(hostname)
    ? undefined
    : "The redirect URI must use https, or http on a loopback address (127.0.0.1, [::1], localhost).";
}

/**
 * Whether the URI is registered. An http URI's port on a loopback address may differ, since a native application learns
 * its port at start (RFC 8252 section 7.3).
 */
export function redirectUriAllowed(uri: string, registeredUris: readonly string[]): boolean {
  if (registeredUris.includes(uri)) return true;
  const portless = withoutLoopbackPort(uri);
  return (
    portless !== undefined && registeredUris.some((registeredUri) => withoutLoopbackPort(registeredUri) === portless)
  );
}

/** Hosts that name the machine itself: RFC 6761 section 6.3, RFC 5735 section 3, and IPv4 addresses in IPv6. */
const ownMachine =
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])\.?$/;

/** Whether the URI leads to the user's machine, where any process can listen and get the code. */
export const isOnOwnMachine = (uri: string) => ownMachine.test(new URL(uri).hostname);

const loopbackUri = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(\/.*)?$/;

function withoutLoopbackPort(uri: string): string | undefined {
  const [, origin, rest = ""] = loopbackUri.exec(uri) ?? [];
  return origin === undefined || redirectUriProblem(uri) !== undefined ? undefined : origin + rest;
}
