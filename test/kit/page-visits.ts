import type { Browser, CDPSession, Page } from "puppeteer-core";

/** A request that a page has sent. */
interface SentRequest {
  readonly url: string;
  readonly isFromCache: boolean;
  /** Headers and body of the answer as they were sent (bytes). */
  readonly bytes: number;
}

/** A tab that counts what a page loads, and notes what its content security policy refuses. */
export class VisitTab {
  /** The policy's violations, and errors of scripts. */
  readonly complaints: string[] = [];
  /** Addresses of websockets. */
  readonly sockets: string[] = [];
  readonly page: Page;
  readonly #urls = new Map<string, string>();
  readonly #cached = new Set<string>();
  readonly #bytes = new Map<string, number>();

  private constructor(page: Page) {
    this.page = page;
  }

  /** A tab whose browser has seen nothing before. */
  static async open(browser: Browser, width = 1280): Promise<VisitTab> {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setViewport({ width, height: 900 });
    page.setDefaultTimeout(180_000);
    const tab = new VisitTab(page);
    page.on("pageerror", (error) => tab.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") tab.complaints.push(message.text());
    });
    await page.exposeFunction("noteViolation", (violation: string) => tab.complaints.push(violation));
    await page.evaluateOnNewDocument(
      `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => noteViolation(violatedDirective + " " + blockedURI))`,
    );
    await tab.#listen(await page.createCDPSession());
    return tab;
  }

  /** Opens the address, and waits until the page loads nothing more. Returns the requests of this visit. */
  async visit(url: string): Promise<SentRequest[]> {
    this.#urls.clear();
    await this.page.goto(url, { waitUntil: "networkidle0" });
    return this.requests();
  }

  /** The requests since the last visit began. */
  requests(): SentRequest[] {
    return [...this.#urls].map(([id, url]) => ({
      url,
      isFromCache: this.#cached.has(id),
      bytes: this.#bytes.get(id) ?? 0,
    }));
  }

  /** How far the document is wider than the window (pixels). */
  async overflow(): Promise<number> {
    return Number(await this.page.evaluate("document.documentElement.scrollWidth - innerWidth"));
  }

  close(): Promise<void> {
    return this.page.browserContext().close();
  }

  async #listen(session: CDPSession): Promise<void> {
    session.on("Network.requestWillBeSent", ({ requestId, request }) => this.#urls.set(requestId, request.url));
    session.on("Network.requestServedFromCache", ({ requestId }) => this.#cached.add(requestId));
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (response.fromDiskCache === true) this.#cached.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
      this.#bytes.set(requestId, encodedDataLength),
    );
    session.on("Network.webSocketCreated", ({ url }) => this.sockets.push(url));
    await session.send("Network.enable");
  }
}
