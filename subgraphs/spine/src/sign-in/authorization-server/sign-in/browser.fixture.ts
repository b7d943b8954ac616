import { testSettings } from "../../../running-spine.fixture.js";

/** A page that a browser shows, or an address outside the platform at which it has arrived. */
export interface ShownPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const maxRedirects = 12;

/** Follows the platform's redirects, keeps cookies and fills in forms. It runs no scripts. */
export class TestBrowser {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #cookies = new Map<string, string>();

  /** `base` serves what the tests' issuer names in its redirects. */
  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  open(address: string): Promise<ShownPage> {
    return this.#go(address, {});
  }

  /** Sends the page's first form. */
  submit(page: ShownPage, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<ShownPage> {
    const [, formToken = ""] = /name="formToken" value="([\w-]+)"/.exec(page.text) ?? [];
    const [, factor] = /name="factor" value="(\w+)"/.exec(page.text) ?? [];
    const body = new URLSearchParams({ formToken, ...(factor === undefined ? {} : { factor }), ...fields });
    return this.#go(page.url, { method: "POST", body, headers });
  }

  async #go(address: string, init: RequestInit, redirects = 0): Promise<ShownPage> {
    const { pathname, search } = new URL(address, testSettings.issuer);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...this.#headers, ...(init.headers as Record<string, string>), cookie };
    const response = await fetch(this.#base + pathname + search, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const url = `${testSettings.issuer}${pathname}${search}`;
    const location = response.headers.get("location");
    if (location === null) return { url, status: response.status, headers: response.headers, text };
    const next = new URL(location, url).href;
    if (!next.startsWith(`${testSettings.issuer}/`))
      return { url: next, status: response.status, headers: response.headers, text };
    if (redirects === maxRedirects) throw new Error(`The browser is redirected for ever, now to ${next}`);
    return this.#go(next, {}, redirects + 1);
  }

  #keep(line: string): void {
    const [pair = ""] = line.split(";", 1);
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
