import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { levelOfMethods } from "@factory/schema/authentication-levels";
import { errors, type Provider, type TokenEndpointGrantContext } from "oidc-provider";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { passwordGrantType } from "../../../oauth-clients/grant-types.js";
import type { SecondFactors } from "../../second-factors/second-factors.js";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import type { SignInRecords } from "../accounts/sign-in-records.js";
import { setGrantVersions } from "../accounts/stored-versions.js";
import type { UserAccounts } from "../accounts/user-accounts.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { grantedScopes, requireSomeScope } from "../tokens/granted-scopes.js";
import type { PlatformResourceServer } from "../tokens/resource-server.js";
import { createSignedInAccount } from "../tokens/signed-in-account.js";

interface PasswordGrantOptions {
  issuer: string;
  accounts: UserAccounts;
  passwords: PasswordSignIn;
  records: SignInRecords;
  factors: SecondFactors;
  resourceServer: PlatformResourceServer;
  logger: Logger;
}

interface PasswordParameters {
  username?: string;
  password?: string;
  tenant?: string;
}

const parameters = ["username", "password", "tenant", "scope", "resource"];

/**
 * Adds the password grant (RFC 6749 section 4.3). RFC 9700 section 2.4 forbids it, but the platform's specification has
 * it, so first-party clients with a secret may use it.
 */
export function registerPasswordGrant(provider: Provider, options: PasswordGrantOptions): void {
  const warnedClients = new Set<string>();
  provider.registerGrantType<PasswordParameters>(
    passwordGrantType,
    async (context) => {
      const { clientId } = context.oidc.client;
      if (!warnedClients.has(clientId))
        options.logger.warn({ clientId }, "a client used the password grant, which is deprecated");
      warnedClients.add(clientId);
      await passwordGrant(provider, options, context);
    },
    parameters,
  );
}

async function passwordGrant(
  provider: Provider,
  { issuer, accounts, passwords, records, factors, resourceServer }: PasswordGrantOptions,
  context: TokenEndpointGrantContext<PasswordParameters>,
): Promise<void> {
  const { oidc } = context;
  const { client } = oidc;
  const { username, password, tenant, scope, resource = issuer } = oidc.params;
  const registeredClient = registeredClientOf(client);
  if (!registeredClient.firstParty || registeredClient.isPublic)
    throw new OAuthError(
      "VALIDATION_FAILED",
      "unauthorized_client",
      "This client may not use the password grant. Only first-party clients with a secret may.",
    );
  if (username === undefined || password === undefined)
    throw new errors.InvalidRequest("The parameters username and password are required.");
  const cause = causeOf(context, registeredClient.clientId);
  const address = clientNetworkOf(context.req);
  const user = await passwords.signIn({ client: registeredClient, username, password, tenant, address, cause });
  if (await factors.isNeeded(user.tenant, user.userId)) throw secondFactorNeeded();
  const amr = ["pwd"];
  const signIn = { authTime: Math.floor(Date.now() / 1000), acr: levelOfMethods(amr), amr };
  await records.succeeded(user, { clientId: registeredClient.clientId, cause });
  const access = await accounts.access(user, registeredClient);
  await accounts.requireNoneWithheld(user, registeredClient, access, { asked: scope, cause });
  const account = createSignedInAccount(user, access, signIn);
  oidc.entity("Account", account);
  const scopeNames = grantedScopes(scope, registeredClient);
  const scopes = requireSomeScope(scopeNames, account.access);

  const { accountId } = account;
  const grant = new provider.Grant({ accountId, clientId: registeredClient.clientId });
  grant.addResourceScope(issuer, scopeNames.join(" "));
  setGrantVersions(grant, user.signInVersion, registeredClient);
  const info = await resourceServer.info(context, String(resource), client);
  const grantId = await grant.save();
  oidc.entity("Grant", grant);
  const token = new provider.AccessToken({ accountId, client, grantId, gty: passwordGrantType });
  token.resourceServer = new provider.ResourceServer(issuer, info);
  token.scope = scopes.join(" ");
  oidc.entity("AccessToken", token);
  const accessToken = await token.save();
  context.body = {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: token.expiration,
    scope: token.scope,
    ...(client.grantTypeAllowed("refresh_token")
      ? {
          refresh_token: await new provider.RefreshToken({
            accountId,
            client,
            grantId,
            gty: passwordGrantType,
            resource: issuer,
            scope: scopeNames.join(" "),
            rotations: 0,
            iiat: signIn.authTime,
            ...signIn,
          }).save(),
        }
      : {}),
  };
}

/** Told only to somebody who knows the password, as on the sign-in page. */
const secondFactorNeeded = () =>
  new OAuthError(
    "SECOND_FACTOR_REQUIRED",
    "invalid_grant",
    "A password alone is not enough for this user. Use the authorization code grant, at which the user proves a second factor.",
  );
