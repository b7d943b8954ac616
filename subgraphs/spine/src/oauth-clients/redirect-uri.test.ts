import { isOnOwnMachine, redirectUriAllowed, redirectUriProblem } from "./redirect-uri.js";

describe("an address that a sign-in returns to", () => {
  it.each([
    "https://studio.example/callback",
    "https://studio.example:8443/callback?from=login",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:3000/callback",
    "http://[::1]:3000/",
    "http://localhost:5173/callback",
  ])("may be %s", (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    "http://studio.example/callback",
    "http://127.0.0.1.evil.example/",
    "https://studio.example/callback#here",
    "https://*.studio.example/",
    "https://studio.example/*",
    "https://me:secret@studio.example/",
    "//studio.example/",
    "/callback",
    "javascript:alert(1)",
    "data:text/html,hello",
    "com.example.app:/callback",
    "https://studio.example\\@evil.example/",
    "https://studio.example/\r\nset-cookie: a=b",
    "https://studio.example/ a",
    'https://studio.example/"><script>',
    "https://",
    "",
  ])("is never %j", (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.any(String));
  });

  it("is compared as a whole", () => {
    const registeredUris = ["https://studio.example/callback"];
    expect(redirectUriAllowed("https://studio.example/callback", registeredUris)).toBe(true);
    for (const other of [
      "https://studio.example/callback/",
      "https://studio.example/callback?a=b",
      "https://studio.example/Callback",
      "https://studio.example:443/callback",
      "https://STUDIO.example/callback",
      "https://studio.example/x/../callback",
      "http://studio.example/callback",
    ])
      expect([other, redirectUriAllowed(other, registeredUris)]).toEqual([other, false]);
  });

  it("has any port on a loopback address over http, and no other freedom", () => {
    const registeredUris = ["http://127.0.0.1/callback", "https://localhost/secure"];
    expect(redirectUriAllowed("http://127.0.0.1:51004/callback", registeredUris)).toBe(true);
    for (const other of [
      "http://127.0.0.1:51004/other",
      "http://localhost:51004/callback",
      "http://127.0.0.1:510041/callback",
      "http://127.0.0.1:80@evil.example/callback",
      "http://127.0.0.1:51004/callback#x",
      "https://localhost:8443/secure",
    ])
      expect([other, redirectUriAllowed(other, registeredUris)]).toEqual([other, false]);
  });

  it.each([
    ["http://127.0.0.1:51004/cb", true],
    ["http://[::1]/cb", true],
    ["http://LOCALHOST/cb", true],
    ["https://localhost./cb", true],
    ["https://app.localhost/cb", true],
    ["https://127.0.0.2/cb", true],
    ["https://2130706433/cb", true],
    ["https://0.0.0.0/cb", true],
    ["https://[::]/cb", true],
    ["https://[::ffff:127.0.0.1]/cb", true],
    ["https://localhost.example/cb", false],
    ["https://notlocalhost/cb", false],
    ["https://127.0.0.1.example/cb", false],
    ["https://[::ffff:8.8.8.8]/cb", false],
  ])("may lead to the machine of the browser: %s %s", (uri, isOwn) => {
    expect(isOnOwnMachine(uri)).toBe(isOwn);
  });
});
