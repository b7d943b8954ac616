import type { IncomingMessage } from "node:http";
import { browserCookie, readBrowserCookie } from "./browser-cookie.js";

const value = "v".repeat(43);
const requestWith = (cookie: string) => ({ headers: { cookie } }) as IncomingMessage;

it("the cookie of an authorization over https belongs to one host, which no other host can set", () => {
  const cookie = browserCookie("l".repeat(43), value, true);
  expect(cookie.split("; ").sort()).toEqual(
    [
      `__Host-connection-authorization-${"l".repeat(16)}=${value}`,
      ...["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax", "Secure"],
    ].sort(),
  );
  const [pair = ""] = cookie.split("; ");
  expect(readBrowserCookie(requestWith(`other=1; ${pair}`), "l".repeat(43), true)).toBe(value);
  // a cookie that a sibling host has planted
  expect(readBrowserCookie(requestWith(pair.replace("__Host-", "")), "l".repeat(43), true)).toBeUndefined();
});

it("the cookie of an authorization is sent only to its pages where development runs without https", () => {
  const cookie = browserCookie("l".repeat(43), value, false);
  expect(cookie).toContain("Path=/integrations/oauth/");
  expect(cookie).not.toContain("Secure");
  expect(readBrowserCookie(requestWith(cookie.split("; ")[0] ?? ""), "l".repeat(43), false)).toBe(value);
  expect(
    readBrowserCookie(requestWith(`${cookie.split("; ")[0]}; ${cookie.split("; ")[0]}`), "l".repeat(43), false),
  ).toBe(undefined);
});
