import { requireDescribed } from "./described-answers.js";

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Follows redirects, keeps cookies and fills in forms like a browser. It runs no scripts. */
export class Browser {
  #cookies: Cookie[] = [];
  readonly #home: string;

  /** A visit ends at the first address outside `home`. That address is not requested. */
  constructor(home: string) {
    this.#home = home;
  }

  get cookies(): readonly Cookie[] {
    return this.#cookies;
  }

  open(url: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#go(url, { headers });
  }

  /** Sends a page's form. The page has exactly one form. */
  submit(page: Visit, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Visit> {
    const body = new URLSearchParams({ formToken: formToken(page), ...fields });
    return this.#go(page.url, { method: "POST", body, headers: { "sec-fetch-site": "same-origin", ...headers } });
  }

  /** Sends a form as if another site had sent it. */
  post(url: string, body: URLSearchParams | string): Promise<Visit> {
    return this.#go(url, { method: "POST", body, headers: { "sec-fetch-site": "cross-site" } });
  }

  /** A copy with the same cookies. */
  copy(): Browser {
    const copy = new Browser(this.#home);
    copy.#cookies = [...this.#cookies];
    return copy;
  }

  forget(name: string): void {
    this.#cookies = this.#cookies.filter((cookie) => !cookie.name.startsWith(name));
  }

  async #go(url: string, init: RequestInit): Promise<Visit> {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(init.headers as Record<string, string>), cookie: this.#sent(new URL(url).pathname) },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    if (url.startsWith(`${this.#home}/`))
      requireDescribed(init.method ?? "GET", url.slice(this.#home.length), {
        ...{ status: response.status, headers: response.headers },
        text,
      });
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, url).href;
    if (next === undefined) return { url, status: response.status, headers: response.headers, text };
    if (!next.startsWith(`${this.#home}/`))
      return { url: next, status: response.status, headers: response.headers, text };
    return this.#go(next, {});
  }

  #sent(path: string): string {
    const fitting = this.#cookies.filter((cookie) => path.startsWith(cookie.path));
    return fitting.map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const attribute = (attributeName: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${attributeName}=`))?.slice(attributeName.length + 1);
    const path = attribute("path") ?? "/";
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    const expires = attribute("expires");
    if (expires === undefined || Date.parse(expires) > Date.now()) this.#cookies.push({ name, value, path });
  }
}

export function formToken({ text }: Visit): string {
  const [, token] = /name="formToken" value="([\w-]+)"/.exec(text) ?? [];
  if (token === undefined) throw new Error(`No form on this page: ${text.slice(0, 2000)}`);
  return token;
}
