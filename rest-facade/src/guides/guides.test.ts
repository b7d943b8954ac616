import { type Started, startWith } from "../facade.fixture.js";

const text = `# Guide to the catalog

For authors of \`templates\`, see the [README](../../README.md). <b>

## Templates & versions

See [sizing](../../gateway/OPERATING.md#sizing), [below](#templates--versions) and <https://example.com/>.

| name | value |
|---|---|
| \`a\` | <script>alert(1)</script> |

\`\`\`bash
get "<name>"
\`\`\`
`;
const operating = "# Operating\n\nFor operators.\n";
const anonymous = { token: undefined };
let facade: Started;

beforeAll(async () => {
  facade = await startWith(
    {},
    {
      guides: [
        { name: "catalog", text },
        { name: "operating", text: operating },
      ],
    },
  );
});
afterAll(() => facade.close());

describe("GET /docs/guides", () => {
  it("is a page without script that lists the guides with their readers", async () => {
    const page = await facade.call("GET /docs/guides", anonymous);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).not.toMatch(/<script|<img|<link|<form|\sstyle=|\ssrc=/i);
    expect(page.text).toContain('<a href="/docs/guides/catalog">Guide to the catalog</a>');
    expect(page.text).toContain("For authors of <code>templates</code>, see the README. &lt;b&gt;");
    for (const [, path] of page.text.matchAll(/href="(\/[^"]+)"/g))
      expect([path, (await facade.call(`HEAD ${path}`, anonymous)).status]).toEqual([path, 200]);
  });
});

describe("GET /docs/guides/{name}", () => {
  it("is the text of the guide, which caches may keep", async () => {
    const guide = await facade.call("GET /docs/guides/catalog", anonymous);
    expect([guide.status, guide.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(guide.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(guide.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(guide.text).toBe(text);
    const ifNoneMatch = { "if-none-match": guide.headers.get("etag") ?? "" };
    const again = await facade.call("GET /docs/guides/catalog", { ...anonymous, headers: ifNoneMatch });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("is a page for a browser, whose tags are text and whose links lead to pages and anchors", async () => {
    const headers = { accept: "text/html,*/*;q=0.8" };
    const page = await facade.call("GET /docs/guides/catalog", { ...anonymous, headers });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect([page.headers.get("cache-control"), page.headers.get("vary")]).toEqual([
      "no-cache",
      expect.stringContaining("accept"),
    ]);
    expect(page.text).toContain('<h1 id="guide-to-the-catalog">Guide to the catalog</h1>');
    expect(page.text).toContain("see the README. &lt;b&gt;");
    expect(page.text).not.toMatch(/<script|<b>|<img/);
    expect(page.text).toContain('<a href="/docs/guides/operating#sizing">sizing</a>');
    expect(page.text).toContain('<h2 id="templates--versions">');
    expect(page.text).toContain('<a href="https://example.com/">');
    expect(page.text).toContain("get &quot;&lt;name&gt;&quot;");
    const again = { ...headers, "if-none-match": page.headers.get("etag") ?? "" };
    expect((await facade.call("GET /docs/guides/catalog", { ...anonymous, headers: again })).status).toBe(304);
  });

  it("answers HEAD without a body, 405 to another method, and 404 for another name", async () => {
    const head = await facade.call("HEAD /docs/guides/catalog", anonymous);
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const path of ["/docs/guides", "/docs/guides/catalog", "/docs/events"]) {
      const refusal = await facade.call(`POST ${path}`, anonymous);
      expect([path, refusal.status, refusal.headers.get("allow")]).toEqual([path, 405, "GET, HEAD, OPTIONS"]);
    }
    for (const name of ["nothing", "constructor", "Catalog"])
      expect([name, (await facade.call(`GET /docs/guides/${name}`, anonymous)).status]).toEqual([name, 404]);
  });
});
