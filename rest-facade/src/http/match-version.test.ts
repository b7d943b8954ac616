import { matchApiVersion, matchMediaType, integrationMediaType as vendor } from "./match-version.js";

const json = "application/json; charset=utf-8";

describe("matchMediaType", () => {
  it.each([
    [undefined, json],
    ["", json],
    ["*/*", json],
    ["application/*", json],
    ["application/json", json],
    ["text/html, application/json", json],
    ["APPLICATION/JSON", json],
    [vendor, vendor],
    [`${vendor}; charset=utf-8`, vendor],
    [`${vendor};q=0.1, application/json;q=0.9`, json],
    [`*/*;q=0.8, ${vendor};q=0.8`, vendor],
    [`application/json;q=0, */*`, vendor],
    [`application/vnd.service.integration.v9+json, ${vendor};q=0.2`, vendor],
    ["application/vnd.service.integration.v9+json, */*;q=0.1", json],
  ])("Accept: %s is answered in %s", (accept, type) => {
    expect(matchMediaType(accept)).toBe(type);
  });

  it.each([
    "application/vnd.service.integration.v2+json",
    "application/vnd.service.integration+json",
    "text/html",
    `${vendor};q=0`,
    "application/json;q=nonsense",
    "application/json;q=2",
  ])("Accept: %s is not acceptable", (accept) => {
    for (let time = 0; time < 2; time++) expect(() => matchMediaType(accept)).toThrow(/Accept header/);
  });
});

describe("matchApiVersion", () => {
  it.each([undefined, "1", "1.0"])("serves %s", (version) => {
    expect(() => matchApiVersion(version)).not.toThrow();
  });

  it.each(["", "2", "1.1", "v1", "1.0, 1.0", "01"])("refuses %j", (version) => {
    expect(() => matchApiVersion(version)).toThrow(/api-version/);
  });
});
