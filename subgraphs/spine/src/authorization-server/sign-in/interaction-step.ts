import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Interaction, Provider } from "oidc-provider";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import type { Accounts } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import type { ConsentMemory } from "./consent-memory.js";
import type { ConsentTerms } from "./consent-terms.js";
import type { FormTokens } from "./csrf-token.js";

export interface InteractionOptions {
  issuer: string;
  /** The current one: it is built anew when keys change. */
  provider: () => Provider;
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  accounts: Accounts;
  passwords: PasswordSignIn;
  consents: ConsentMemory;
  forms: FormTokens;
  logger: Logger;
}

/** One request of a browser that is about to sign in or to consent. */
export interface Step extends Omit<InteractionOptions, "provider"> {
  provider: Provider;
  request: IncomingMessage;
  response: ServerResponse;
  interaction: Interaction;
  client: RegisteredClient;
  /** On which the page asks for consent. */
  terms: ConsentTerms | undefined;
  /** Goes into the form. */
  formToken: string;
}
