import { createEgress, type Egress, type EgressOptions, type EgressResponse } from "@factory/runtime/egress/egress";
import { type RemoteCredential, requireLogin } from "../../../git/git/remote-credential.js";
import { isAllowedHost, RemoteBlocked, remoteProblem, type SourcePolicy } from "../../../git/git/remote-policy.js";
import { sourceUnavailable } from "../references/source-failure.js";
import { redirectTarget } from "./redirect-target.js";

/** The time at which all requests in one reading must have ended. */
export interface Deadline {
  readonly endsAt: number;
  readonly signal?: AbortSignal | undefined;
}

interface DownloadLimits {
  readonly maxBytes: number;
  readonly redirects: number;
}

const connectTimeoutMs = 10_000;
const redirectStatuses = [301, 302, 303, 307, 308];

/** Downloads packages and feed documents. Each redirect is checked by the same policy as a git remote. */
export class PackageDownloads {
  readonly #policy: SourcePolicy;
  readonly #guarded: Egress;
  readonly #opened: Egress;

  /** `resolve` replaces DNS in tests. */
  constructor(policy: SourcePolicy, resolve?: EgressOptions["resolve"]) {
    const dns = resolve && { resolve };
    this.#policy = policy;
    this.#guarded = createEgress({ allowLoopback: policy.allowLoopback, allowPrivateCidrs: [], ...dns });
    this.#opened = createEgress({ allowLoopback: true, allowPrivateCidrs: ["0.0.0.0/0", "::/0"], ...dns });
  }

  /** Sends the credential to this address only, never to a redirect's target, even on the same host. */
  async get(
    address: string,
    limits: DownloadLimits,
    deadline: Deadline,
    credential?: RemoteCredential,
  ): Promise<EgressResponse> {
    let url = new URL(address);
    const authorization = credential === undefined ? {} : { authorization: basicAuthorization(credential) };
    for (let hops = 0; ; hops += 1) {
      const headers = hops === 0 ? authorization : {};
      const response = await this.#request(url, headers, { ...deadline, maxBytes: limits.maxBytes });
      if (!redirectStatuses.includes(response.status)) return response;
      if (hops === limits.redirects) throw tooManyRedirects(limits.redirects);
      url = redirectTarget(url, response.headers["location"]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.close(), this.#opened.close()]);
  }

  #request(
    url: URL,
    headers: Record<string, string>,
    { maxBytes, endsAt, signal }: Deadline & { maxBytes: number },
  ): Promise<EgressResponse> {
    const problem = remoteProblem(url, this.#policy);
    if (problem !== undefined) throw new RemoteBlocked(problem);
    const egress = isAllowedHost(url, this.#policy) ? this.#opened : this.#guarded;
    return egress.request(url.href, {
      method: "GET",
      headers: { "user-agent": "factory-catalog", "accept-encoding": "identity", ...headers },
      timeoutMs: Math.max(1, endsAt - Date.now()),
      connectTimeoutMs,
      maxResponseBytes: maxBytes,
      ...(signal && { signal }),
    });
  }
}

function basicAuthorization(credential: RemoteCredential): string {
  const { username, password } = requireLogin(credential);
  // The first colon ends the name (RFC 7617, section 2).
  if (username.includes(":")) throw new RemoteBlocked("the user name of its credential contains a colon");
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function tooManyRedirects(limit: number): Error {
  if (limit > 0)
    return sourceUnavailable(`The template source redirected more than ${limit} times, which is the limit.`);
  return sourceUnavailable("The template source answered with a redirect. Use its final address.");
}
