import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { aVendorOAuth, type OAuthOptions, type VendorOAuth } from "./vendor-oauth.js";

/** How a part of the vendor behaves: it works, never answers, cuts the connection, or answers with a status. */
type Behavior =
  | "works"
  | "hangs"
  | "resets"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface VendorCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The call's credential: a bearer token, an API key, or `user:password`. */
  readonly credential: string | undefined;
}

export interface Vendor {
  /** The API's base URL. Every path below it answers 200 to an accepted credential and 401 to others. */
  readonly baseUrl: string;
  readonly oauth: VendorOAuth;
  /** Static credentials that the API accepts (API key, bearer token, `user:password`). It accepts access tokens too. */
  readonly accepted: Set<string>;
  /** The API calls, oldest first. */
  readonly calls: readonly VendorCall[];
  /** How many calls wait for an answer. */
  readonly open: number;
  /** Changes the API, for the next `times` calls or from now on. */
  behave(behavior: Behavior, times?: number): void;
  /** Changes the OAuth 2 endpoints in the same way. */
  behaveAtTokens(behavior: Behavior, times?: number): void;
  close(): Promise<void>;
}

const apiPath = "/api";

/** A behavior for a number of calls, after which the part works again. */
class Switch {
  #behavior: Behavior = "works";
  #left = Number.POSITIVE_INFINITY;

  set(behavior: Behavior, times = Number.POSITIVE_INFINITY): void {
    this.#behavior = behavior;
    this.#left = times;
  }

  next(): Behavior {
    if (this.#left <= 0) return "works";
    this.#left -= 1;
    return this.#behavior;
  }
}

/** A vendor on a loopback port: an API, and an OAuth 2 server whose tokens the API accepts. Both fail on demand. */
export async function aVendor(options: OAuthOptions = {}): Promise<Vendor> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // if a test fails before it closes its vendor, the test run must still end
  server.unref();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oauth = await aVendorOAuth(issuer, options);
  const acceptedCredentials = new Set<string>();
  const calls: VendorCall[] = [];
  const api = new Switch();
  const tokens = new Switch();
  let open = 0;

  async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { method = "", url: path = "", headers } = request;
    const credential = credentialOf(headers, new URL(path, issuer));
    calls.push({ method, path: path.slice(apiPath.length), headers, body, credential });
    if (!misbehave(api.next(), response)) return;
    const isAllowed =
      credential !== undefined && (acceptedCredentials.has(credential) || (await oauth.isValidToken(credential)));
    response.writeHead(isAllowed ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isAllowed ? { method, path: path.slice(apiPath.length) } : { error: "unauthorized" }));
  }

  server.on("request", (request, response) => {
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    if (request.url?.startsWith(apiPath)) void serveApi(request, response).catch(() => response.destroy());
    else if (misbehave(tokens.next(), response)) oauth.serve(request, response);
  });
  return {
    baseUrl: issuer + apiPath,
    oauth,
    accepted: acceptedCredentials,
    calls,
    get open() {
      return open;
    },
    behave: (behavior, times) => api.set(behavior, times),
    behaveAtTokens: (behavior, times) => tokens.set(behavior, times),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** True when the part works, so that the caller answers. */
function misbehave(behavior: Behavior, response: ServerResponse): boolean {
  if (behavior === "works") return true;
  if (behavior === "resets") response.socket?.resetAndDestroy();
  else if (behavior !== "hangs") response.writeHead(behavior.status, behavior.headers).end(behavior.body);
  return false;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The places where vendors take credentials: the authorization header, an own header, or the query. */
function credentialOf(headers: IncomingHttpHeaders, url: URL): string | undefined {
  const [scheme, value] = headers.authorization?.split(" ") ?? [];
  if (scheme?.toLowerCase() === "basic") return Buffer.from(value ?? "", "base64").toString("utf8");
  return value ?? headers["x-api-key"]?.toString() ?? url.searchParams.get("api_key") ?? undefined;
}
