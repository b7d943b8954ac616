import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Interaction, Provider } from "oidc-provider";
import type { SecondFactors } from "../../second-factors/second-factors.js";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import type { SignInRecords } from "../accounts/sign-in-records.js";
import type { UserAccounts } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import type { FactorAttempts } from "../factor-forms/factor-attempts.js";
import type { FactorIdentification } from "../factor-forms/factor-identification.js";
import type { KeptValues } from "../factor-forms/kept-values.js";
import type { ConsentTerms } from "./consent-terms.js";
import type { CsrfTokens } from "./csrf-token.js";
import type { RememberedConsents } from "./remembered-consents.js";

/** The services behind the sign-in pages. */
export interface InteractionOptions {
  issuer: string;
  /** The current provider; a new one is built when the keys change. */
  provider: () => Provider;
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  accounts: UserAccounts;
  passwords: PasswordSignIn;
  records: SignInRecords;
  factors: SecondFactors;
  /** Checks second factors. */
  attempts: FactorAttempts;
  /** Signs people in who enter neither a name nor a password. */
  identification: FactorIdentification;
  kept: KeptValues;
  consents: RememberedConsents;
  csrfTokens: CsrfTokens;
  logger: Logger;
}

/** A browser's request during a sign-in: the form to sign in, or the form to consent. */
export interface InteractionStep extends Omit<InteractionOptions, "provider"> {
  provider: Provider;
  request: IncomingMessage;
  response: ServerResponse;
  interaction: Interaction;
  client: RegisteredClient;
  /** The terms for the consent that the page asks for; undefined on the form to sign in. */
  terms: ConsentTerms | undefined;
  /** The form's CSRF token. */
  csrfToken: string;
}
