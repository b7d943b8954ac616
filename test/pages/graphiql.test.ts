import type { Browser } from "puppeteer-core";
import { chromiumPath, startChromium } from "../kit/chromium.js";
import { VisitTab } from "../kit/page-visits.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

const describeWithChromium = chromiumPath === undefined ? describe.skip : describe;

describeWithChromium("GraphiQL in Chromium", () => {
  let browser: Browser;
  let address: string;
  let token: string;
  let tab: VisitTab;

  beforeAll(async () => {
    address = `${platform().publicUrl}/graphql`;
    token = await (await aTenant()).tokenWith();
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    tab = await VisitTab.open(browser);
    await tab.visit(address);
  });
  afterEach(() => tab.close());

  async function aTemplate(): Promise<void> {
    const body = { name: `pages-${Math.random().toString(36).slice(2)}` };
    const { status, text } = await request("POST /v1/templates", { token, body });
    if (status !== 201) throw new Error(text);
  }
  const tokenState = () => textOf("#token-state");
  const textOf = async (selector: string) =>
    String(await tab.page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`));
  const shows = (selector: string, text: string) =>
    tab.page.waitForFunction(
      `document.querySelector(${JSON.stringify(selector)})?.innerText.includes(${JSON.stringify(text)})`,
    );
  const result = ".graphiql-response";

  async function paste(text: string): Promise<void> {
    await tab.page.locator("#token").fill(text);
    await tab.page.keyboard.press("Enter");
  }

  it("says what is missing without a token, and asks for nothing before", async () => {
    expect(await tokenState()).toContain("A token is missing");
    expect(await tokenState()).toContain("npm run -s token");
    expect(tab.requests().filter(({ url }) => url === address)).toHaveLength(1);
    await tab.page.locator(".graphiql-execute-button").click();
    await shows(result, "UNAUTHENTICATED");
  });

  it("says that a text is not a token, and when a token has ended", async () => {
    await paste("hello");
    expect(await tokenState()).toContain("This is not an access token");
    const claims = Buffer.from(JSON.stringify({ exp: 1000 })).toString("base64url");
    await paste(`Bearer e30.${claims}.AA`);
    expect(await tokenState()).toContain("The token ended at");
  });

  it("runs the first query with a pasted token, which stays in the tab and out of addresses", async () => {
    await aTemplate();
    await paste(token);
    expect(await tokenState()).toMatch(/send the token, which ends at \d/);
    await tab.page.locator(".graphiql-execute-button").click();
    await shows(result, "edges");
    expect(await textOf(result)).toContain("tpl_");
    expect(tab.page.url()).toBe(address);
    expect(tab.requests().filter(({ url }) => url.includes(token))).toEqual([]);
    expect(await tab.page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain(token);

    // the tab keeps the token, and another tab does not have it
    await tab.visit(address);
    expect(await tokenState()).toContain("send the token");
    const other = await tab.page.browserContext().newPage();
    await other.goto(address);
    expect(await other.evaluate("document.querySelector('#token-state').innerText")).toContain("A token is missing");
    await other.close();
    await tab.page.locator("#remove-token").click();
    expect(await tokenState()).toContain("A token is missing");
    expect(tab.complaints).toEqual([]);
  });

  it("shows an event of the subscription in the second tab", async () => {
    await paste(token);
    await tab.page.locator("::-p-xpath(//button[normalize-space()='Events'])").wait();
    // one program in the page, since GraphiQL looks at a changed document 100 ms later
    await tab.page.evaluate(`(async () => {
      [...document.querySelectorAll("button")].find(({ innerText }) => innerText.trim() === "Events").click();
      while (!document.querySelector(".graphiql-query-editor").innerText.includes("subscription"))
        await new Promise(requestAnimationFrame);
      document.querySelector(".graphiql-execute-button").click();
    })()`);
    await tab.page.locator(".graphiql-execute-button[aria-label^='Stop']").wait();
    // the subscription begins some time after the button: one of these events comes later
    const registered = setInterval(() => void aTemplate().catch(() => undefined), 500);
    await shows(result, "TemplateRegistered").finally(() => clearInterval(registered));
    expect(tab.sockets).toEqual([address.replace(/^http/, "ws")]);
    expect(tab.complaints).toEqual([]);
  });

  it("is used with the keyboard alone", async () => {
    const focus = () =>
      tab.page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id");
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40 && (await focus()) !== name; presses++) await tab.page.keyboard.press("Tab");
      expect(await focus()).toBe(name);
    };
    await tabTo("token");
    await tab.page.keyboard.type(token);
    await tab.page.keyboard.press("Enter");
    await tabTo("Query");
    await tab.page.keyboard.down("Control");
    await tab.page.keyboard.press("Enter");
    await tab.page.keyboard.up("Control");
    await shows(result, "edges");
    // the editor does not keep the focus
    await tabTo("Result");
  });
});
