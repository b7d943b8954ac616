import { platform } from "@factory/test/kit/platform";
import { aTenant, type TestTenant } from "@factory/test/kit/tenants";

/** A tenant's client of the graph. Its `fetch` counts the requests, so that a suite sees which answers come from a cache. */
export class Caller {
  readonly tenant: TestTenant;
  readonly token: string;
  readonly graphUrl = `${platform().publicUrl}/graphql`;
  readonly socketUrl = this.graphUrl.replace(/^http/, "ws");
  /** The documented header. */
  readonly headers: { readonly authorization: string };
  #requests = 0;

  private constructor(tenant: TestTenant, token: string) {
    this.tenant = tenant;
    this.token = token;
    this.headers = { authorization: `Bearer ${token}` };
  }

  /** A caller with all scopes of a new tenant. */
  static async open(): Promise<Caller> {
    const tenant = await aTenant();
    return new Caller(tenant, await tenant.tokenWith());
  }

  get requests(): number {
    return this.#requests;
  }

  readonly fetch: typeof fetch = (...request) => {
    this.#requests += 1;
    return fetch(...request);
  };
}
