import { aSignInClient, browserTokens, type SignInClient } from "../../kit/code-flow.js";
import { aPerson, type Person } from "../../kit/people.js";
import type { TestTenant } from "../../kit/tenants.js";

/** People who sign in at a client by the authorization code flow, one after the other. */
export class SignIns {
  readonly failed: string[] = [];
  done = 0;
  readonly #client: SignInClient;
  readonly #person: Person;
  #stopped = false;
  #running: Promise<void> | undefined;

  private constructor(client: SignInClient, person: Person) {
    this.#client = client;
    this.#person = person;
  }

  static async prepare(tenant: TestTenant): Promise<SignIns> {
    return new SignIns(
      await aSignInClient(tenant.tenantId, { scopes: ["openid", "templates.read"], firstParty: true }),
      await aPerson(tenant),
    );
  }

  start(): void {
    this.#stopped = false;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped)
      try {
        const tokens = await browserTokens(this.#client, this.#person, "openid templates.read");
        if (tokens.access_token.split(".").length !== 3) throw new Error("no access token");
        this.done += 1;
      } catch (error) {
        // a page instead of the redirect says why
        this.failed.push(
          String(error)
            .replace(/<style[^]*?<\/style>|<[^>]*>|\s+/g, " ")
            .slice(0, 300),
        );
      }
  }
}
