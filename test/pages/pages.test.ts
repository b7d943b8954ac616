import type { Browser } from "puppeteer-core";
import { accessibilityFindings } from "../kit/accessibility.js";
import { chromiumPath, startChromium } from "../kit/chromium.js";
import { VisitTab } from "../kit/page-visits.js";
import { platform } from "../kit/platform.js";

/** The most that a page may send with its first visit (bytes). */
const firstVisitBytes = 1_200_000;
/** A document that has not changed is answered by its headers. */
const secondVisitBytes = 2000;

/** The part of a page that a library draws, and the rules that it breaks (decision "Findings in foreign parts"). */
interface PageUnderTest {
  readonly path: string;
  readonly foreignPart?: string;
  readonly foreignFindings?: readonly string[];
}

const pages: readonly PageUnderTest[] = [
  { path: "/docs", foreignPart: "#reference" },
  {
    path: "/graphql",
    foreignPart: "#graphiql",
    foreignFindings: ["nested-interactive", "scrollable-region-focusable"],
  },
  { path: "/docs/events" },
  { path: "/docs/guides" },
  { path: "/docs/guides/catalog" },
  { path: "/docs/guides/operating" },
];

const describeWithChromium = chromiumPath === undefined ? describe.skip : describe;

describeWithChromium("the pages for developers in Chromium", () => {
  let browser: Browser;
  let home: string;

  beforeAll(async () => {
    home = platform().publicUrl;
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  describe.each(pages)("GET $path", ({ path, foreignPart, foreignFindings = [] }) => {
    let tab: VisitTab;
    beforeEach(async () => {
      tab = await VisitTab.open(browser);
    });
    afterEach(() => tab.close());

    it("loads at most 1.2 MB, all from this server, and the second time its document only", async () => {
      const first = await tab.visit(home + path);
      expect(first.map(({ url }) => url).filter((url) => !isOwn(url))).toEqual([]);
      const sum = first.reduce((bytes, request) => bytes + request.bytes, 0);
      expect([sum > 1000, sum <= firstVisitBytes, sum]).toEqual([true, true, sum]);

      const second = await tab.visit(home + path);
      const loaded = second.filter(({ url, isFromCache }) => url.startsWith(home) && !isFromCache);
      expect(loaded.map(({ url }) => url)).toEqual([home + path]);
      expect(loaded[0]?.bytes).toBeLessThan(secondVisitBytes);
      expect(tab.sockets).toEqual([]);
    });

    it("is allowed no inline script and no eval", async () => {
      const { headers } = await fetch(home + path, { headers: { accept: "text/html" } });
      const policy = headers.get("content-security-policy") ?? "";
      const sources = Object.fromEntries(policy.split("; ").map((line) => line.split(/ (.*)/s)));
      expect(sources["default-src"]).toBe("'none'");
      expect([undefined, "'self'"]).toContain(sources["script-src"]);
    });

    it.each([1280, 360])(
      "fits a window of %i pixels, breaks no rule of its policy, and has no findings of axe but for known ones in foreign parts",
      async (width) => {
        await tab.page.setViewport({ width, height: 900 });
        await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
        await tab.visit(home + path);
        expect(await tab.overflow()).toBe(0);
        const findings = [await accessibilityFindings(tab.page, foreignPart)];
        // another scheme changes colors only
        await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
        findings.push(await accessibilityFindings(tab.page, foreignPart, ["color-contrast"]));
        const unexpected = findings.map((scheme) =>
          scheme.filter(({ isForeign, rule }) => !isForeign || !foreignFindings.includes(rule)),
        );
        expect(unexpected).toEqual([[], []]);
        expect(tab.complaints).toEqual([]);
      },
    );
  });

  it("sends a request from the viewer of the REST API to this server only", async () => {
    const tab = await VisitTab.open(browser);
    const press = (text: string) =>
      tab.page.locator(`::-p-xpath(//button[starts-with(normalize-space(), "${text}")])`).click();
    await tab.visit(`${home}/docs#tag/catalog/POST/v1/templates`);
    await press("Test Request");
    await press("Send");
    await tab.page.waitForFunction("document.body.innerText.includes('UNAUTHENTICATED')");
    const urls = tab.requests().map(({ url }) => url);
    expect(urls).toContain(`${home}/v1/templates`);
    expect(urls.filter((url) => !isOwn(url))).toEqual([]);
    expect(tab.complaints.filter((complaint) => !complaint.includes("401"))).toEqual([]);
    await tab.close();
  });

  const isOwn = (url: string) => url.startsWith(`${home}/`) || /^(?:data|blob):/.test(url);
});
