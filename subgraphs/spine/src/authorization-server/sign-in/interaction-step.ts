import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Interaction, Provider } from "oidc-provider";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import type { UserAccounts } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import type { ConsentTerms } from "./consent-terms.js";
import type { CsrfTokens } from "./csrf-token.js";
import type { RememberedConsents } from "./remembered-consents.js";

export interface InteractionOptions {
  issuer: string;
  /** The current one: it is built anew when keys change. */
  provider: () => Provider;
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  accounts: UserAccounts;
  passwords: PasswordSignIn;
  consents: RememberedConsents;
  forms: CsrfTokens;
  logger: Logger;
}

/** One request of a browser that is about to sign in or to consent. */
export interface InteractionStep extends Omit<InteractionOptions, "provider"> {
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
