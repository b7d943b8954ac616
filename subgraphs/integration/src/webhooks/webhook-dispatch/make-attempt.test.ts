import { loggedRequestHeaders, loggedResponseHeaders } from "./make-attempt.js";

it("shows the headers of a request that the platform sets, and redacts all others", () => {
  expect(
    loggedRequestHeaders({
      "content-type": "application/json",
      "webhook-id": "evt_1",
      "webhook-signature": "v1,c2VjcmV0",
      Authorization: "Bearer canary",
      "x-tenant-key": "canary",
    }),
  ).toEqual({
    "content-type": "application/json",
    "webhook-id": "evt_1",
    "webhook-signature": "[redacted]",
    Authorization: "[redacted]",
    "x-tenant-key": "[redacted]",
  });
});

it("redacts headers of a response that often carry secrets", () => {
  const secrets = ["set-cookie", "www-authenticate", "x-api-key", "X-Session-Id", "x-csrf-token"];
  const headers = Object.fromEntries(secrets.map((name) => [name, ["canary", "other"]]));
  const loggedHeaders = loggedResponseHeaders({ ...headers, "retry-after": "5", vary: ["a", "b"], empty: undefined });
  expect(JSON.stringify(loggedHeaders)).not.toContain("canary");
  expect(loggedHeaders).toMatchObject({ "retry-after": "5", vary: "a, b", empty: "", "set-cookie": "[redacted]" });
});

it("is bounded, and holds no character that PostgreSQL refuses", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`h${place}`, "x".repeat(10_000)]));
  const loggedHeaders = loggedResponseHeaders({ odd: "a\0b", ...many });
  expect(Object.keys(loggedHeaders)).toHaveLength(32);
  expect(JSON.stringify(loggedHeaders).length).toBeLessThan(10_000);
  expect(loggedHeaders["odd"]).toBe("ab");
});
