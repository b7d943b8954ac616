import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import puppeteer, { type Browser, type CDPSession, type Page, type SerializedAXNode } from "puppeteer-core";

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Chromium program on the PATH; undefined where it is not installed. */
export const chromiumPath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name)))
  .find(isExecutable);

/** A machine that runs several suites is slow. */
const patienceMs = 180_000;

/** Starts Chromium without a window. As root it cannot use its sandbox. A container may have little shared memory. */
export function startChromium(): Promise<Browser> {
  const args = ["--disable-dev-shm-usage", ...(userInfo().uid === 0 ? ["--no-sandbox"] : [])];
  return puppeteer.launch({ executablePath: chromiumPath ?? "", headless: true, timeout: patienceMs, args });
}

/** The keys that a virtual authenticator holds. */
interface AuthenticatorCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly signCount: number;
  readonly userHandle?: string;
}

/** A tab with its own cookies and authenticator. An address that is not the platform's is answered by an empty page. */
export class BrowserTab {
  /** The errors in the browser's console, for example CSP violations. */
  readonly complaints: string[] = [];
  readonly page: Page;
  readonly #session: CDPSession;
  readonly #authenticatorId: string;

  private constructor(page: Page, session: CDPSession, authenticatorId: string) {
    this.page = page;
    this.#session = session;
    this.#authenticatorId = authenticatorId;
  }

  /** `home` is the platform's origin. */
  static async open(browser: Browser, home: string): Promise<BrowserTab> {
    const page = await (await browser.createBrowserContext()).newPage();
    page.setDefaultTimeout(patienceMs);
    const session = await page.createCDPSession();
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const tab = new BrowserTab(page, session, authenticatorId);
    page.on("console", (message) => {
      if (message.type() === "error") tab.complaints.push(message.text());
    });
    page.on("pageerror", (error) => tab.complaints.push(String(error)));
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const isHome = request.url().startsWith(`${home}/`) || request.url().startsWith("data:");
      void (isHome
        ? request.continue()
        : request.respond({ status: 200, contentType: "text/html", body: "<!doctype html>" }));
    });
    return tab;
  }

  /** Fills in fields by their id. */
  async fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [id, value] of Object.entries(values)) await this.page.locator(`#${id}`).fill(value);
  }

  /** Presses the button or link with this text and waits for the next page. */
  async press(text: string): Promise<void> {
    const control = this.page.locator(
      `::-p-xpath(//button[normalize-space()="${text}"] | //a[normalize-space()="${text}"])`,
    );
    await Promise.all([this.page.waitForNavigation(), control.click()]);
  }

  /** Opens the details whose summary begins with this text. */
  unfold(text: string): Promise<void> {
    return this.page.locator(`::-p-xpath(//summary[starts-with(normalize-space(), "${text}")])`).click();
  }

  /** The page's visible text. */
  async text(): Promise<string> {
    return this.page
      .locator("main")
      .map((main) => main.innerText)
      .wait();
  }

  /** The names of the page's fields, buttons and links, and the same names in the order in which Tab reaches them. */
  async controls(): Promise<{ readonly all: readonly string[]; readonly byTab: readonly string[] }> {
    const isFolded = ":is(details:not([open]) > form *)";
    const selector = `:is(input:not([type=hidden]), button, a[href], summary):not(${isFolded})`;
    const nameOf = (node: SerializedAXNode | null) => node?.name ?? "";
    const all: string[] = [];
    for (const handle of await this.page.$$(selector))
      if (await handle.isVisible()) all.push(nameOf(await this.page.accessibility.snapshot({ root: handle })));
    // a click beside the page lets the key begin at the first one, also where a field has the focus
    await this.page.mouse.click(1, 1);
    const byTab: string[] = [];
    for (const _ of all) {
      await this.page.keyboard.press("Tab");
      const element = (await this.page.evaluateHandle("document.activeElement")).asElement();
      byTab.push(nameOf(element && (await this.page.accessibility.snapshot({ root: element }))));
    }
    return { all, byTab };
  }

  async credentials(): Promise<readonly AuthenticatorCredential[]> {
    const { credentials } = await this.#session.send("WebAuthn.getCredentials", {
      authenticatorId: this.#authenticatorId,
    });
    return credentials;
  }

  /** Whether the authenticator recognizes the person from now on. */
  async recognizes(isUserVerified: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setUserVerified", { authenticatorId: this.#authenticatorId, isUserVerified });
  }

  async forgetCookies(): Promise<void> {
    await this.#session.send("Network.clearBrowserCookies");
  }

  close(): Promise<void> {
    return this.page.browserContext().close();
  }
}
