import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { UserAccounts } from "../accounts/user-accounts.js";
import type { AccessTokens } from "./access-tokens.js";
import { personClaimsOf } from "./identity-claims.js";

/** The userinfo endpoint. */
export const userinfoPath = "/connect/userinfo";

interface UserinfoOptions {
  tokens: AccessTokens;
  accounts: UserAccounts;
  logger: Logger;
}

interface Refusal {
  readonly status: number;
  /** RFC 6750 section 3.1. Absent if the request has no token. */
  readonly error?: "invalid_token" | "insufficient_scope";
  /** The platform's own code, as every other endpoint answers it. */
  readonly code?: "TENANT_UNKNOWN";
}

/**
 * The userinfo endpoint (OpenID Connect Core 1.0 section 5.3): the signed-in user's claims, for an access token from a
 * sign-in that asked for `openid`, as its identity scopes give them. oidc-provider serves it only for tokens that it
 * stores; ours are signed, not stored.
 */
export function userinfo(options: UserinfoOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    // the token comes in the header, so a body is discarded
    request.resume();
    answer(options, request.headers.authorization).then(
      (result) => ("status" in result ? refuse(response, result) : send(response, 200, result.claims)),
      (error: unknown) => {
        options.logger.error({ err: error }, "userinfo failed");
        send(response, 503, { error: "temporarily_unavailable" }, { "retry-after": "1" });
      },
    );
  };
}

async function answer(options: UserinfoOptions, authorization: string | undefined): Promise<UserInfo> {
  const text = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (text === undefined) return { status: 401 };
  const token = await options.tokens.verify(text);
  const status = token && (await options.tokens.status(token));
  if (status === "TenantUnknown") return { status: 403, error: "invalid_token", code: "TENANT_UNKNOWN" };
  if (!token || status !== "Good") return { status: 401, error: "invalid_token" };
  const scopes = token.scope?.split(" ") ?? [];
  if (token.principalType !== "User" || !scopes.includes("openid")) return { status: 403, error: "insufficient_scope" };
  const account = await options.accounts.byId(token.sub);
  return account?.status === "Active"
    ? { claims: personClaimsOf(account, scopes) }
    : { status: 401, error: "invalid_token" };
}

type UserInfo = Refusal | { readonly claims: Record<string, string | boolean> };

function refuse(response: ServerResponse, { status, error, code }: Refusal): void {
  const scope = error === "insufficient_scope" ? ', scope="openid"' : "";
  const challenge = error === undefined ? "Bearer" : `Bearer error="${error}"${scope}`;
  send(response, status, { ...(error && { error }), ...(code && { code }) }, { "www-authenticate": challenge });
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(JSON.stringify(body));
}
