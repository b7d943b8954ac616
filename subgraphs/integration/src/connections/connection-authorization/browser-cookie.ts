import type { IncomingMessage } from "node:http";
import { authorizationMs } from "./authorization-links.js";

/**
 * One cookie for each link, so that several authorizations in one browser do not disturb each other. Another host cannot
 * set a cookie with the prefix, and neither can a request without TLS (RFC 6265bis section 4.1.3). Only development runs
 * without TLS.
 */
const nameOf = (link: string, secure: boolean) =>
  `${secure ? "__Host-" : ""}connection-authorization-${link.slice(0, 16)}`;

/**
 * The cookie that binds the way to a browser. It is sent when the vendor leads the browser back (SameSite=Lax), and not
 * with another site's form. An empty value ends it.
 */
export function browserCookie(link: string, value: string, secure: boolean): string {
  const seconds = value === "" ? 0 : authorizationMs / 1000;
  const scope = secure ? ["Path=/", "Secure"] : ["Path=/integrations/oauth/"];
  return [`${nameOf(link, secure)}=${value}`, ...scope, `Max-Age=${seconds}`, "HttpOnly", "SameSite=Lax"].join("; ");
}

const valueForm = /^[\w-]{43}$/;

/** The cookie's value; undefined when it is absent, malformed or sent twice. */
export function readBrowserCookie({ headers }: IncomingMessage, link: string, secure: boolean): string | undefined {
  const name = `${nameOf(link, secure)}=`;
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const [value, ...others] = pairs.filter((pair) => pair.startsWith(name)).map((pair) => pair.slice(name.length));
  return value !== undefined && others.length === 0 && valueForm.test(value) ? value : undefined;
}
