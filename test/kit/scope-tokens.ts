import type { Scope } from "@factory/schema/scopes";
import { platformToken, type TestTenant } from "./tenants.js";

/** Gets one token for each set of scopes. A token lasts longer than a suite that walks over all endpoints. */
export class ScopeTokens {
  readonly #tenant: TestTenant;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(tenant: TestTenant) {
    this.#tenant = tenant;
  }

  /** A token of the tenant with these scopes, or with every scope of a tenant. */
  ofTenant(...scopes: Scope[]): Promise<string> {
    return this.#kept(`tenant ${scopes.join(" ")}`, () => this.#tenant.tokenWith(...scopes));
  }

  /** A token of the platform administrator with these scopes, or with all of them. */
  ofPlatform(...scopes: Scope[]): Promise<string> {
    return this.#kept(`platform ${scopes.join(" ")}`, () => platformToken(...scopes));
  }

  #kept(key: string, request: () => Promise<string>): Promise<string> {
    const token = this.#tokens.get(key) ?? request();
    this.#tokens.set(key, token);
    return token;
  }
}
