import type { Principal } from "@factory/runtime/auth/principal";
import { maxActorChain } from "@factory/runtime/auth/token-claims";
import { clientVersion, type TokenVersions } from "@factory/runtime/auth/token-versions";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { isAgentScope, needsAgentApproval, type Scope } from "@factory/schema/scopes";
import type Provider from "oidc-provider";
import { errors, type TokenEndpointGrantContext } from "oidc-provider";
import type { ApprovalDecision, ApprovalRequest, ApprovalRequests } from "../../../approvals/approval-request.js";
import type { PublishApprovals } from "../../../approvals/publish-approvals.js";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { tokenExchange } from "../../../oauth-clients/grant-types.js";
import { requireApproved } from "../accounts/required-approval.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { scopeNotAllowed } from "../tokens/identity-scopes.js";
import { agentTokenSeconds } from "../tokens/resource-server.js";
import { type ExchangeParameters, exchangeParameters, parseExchangeRequest } from "./exchange-parameters.js";
import type { SubjectToken, SubjectTokenVerifier } from "./subject-token.js";

interface TokenExchangeOptions {
  readonly issuer: string;
  readonly subjectTokens: SubjectTokenVerifier;
  readonly approvals: ApprovalRequests;
  readonly publishing: PublishApprovals;
  readonly logger: Logger;
}

/** An exchanged token's claims beside the claims in every token. */
type ExchangedTokenClaims = Record<string, unknown>;

const claimsOfTokens = new WeakMap<object, ExchangedTokenClaims>();

/** The claims in a token that was made by token exchange; undefined for every other token. */
export const exchangedTokenClaims = (token: object): ExchangedTokenClaims | undefined => claimsOfTokens.get(token);

/**
 * Adds the token exchange (RFC 8693): an agent gets a token to act for its subject in one task. Publishing scopes need
 * an approval.
 */
export function registerTokenExchange(provider: Provider, options: TokenExchangeOptions): void {
  const repeatable = ["resource", "audience"];
  provider.registerGrantType<ExchangeParameters>(
    tokenExchange,
    (context) => exchange(provider, options, context),
    exchangeParameters,
    repeatable,
  );
}

async function exchange(
  provider: Provider,
  options: TokenExchangeOptions,
  context: TokenEndpointGrantContext<ExchangeParameters>,
): Promise<void> {
  const { client } = context.oidc;
  const agent = registeredClientOf(client);
  requireAgent(agent);
  const exchange = parseExchangeRequest(context.oidc.params, options.issuer);
  const subject = await options.subjectTokens.verify(exchange.subjectToken, agent);
  requireSameTask(subject, exchange.agentTaskId);
  const { principal } = subject;
  const actors = [agent.clientId, ...(principal.actors ?? [])];
  if (actors.length > maxActorChain)
    throw new errors.InvalidRequest(`At most ${maxActorChain} agents may act one for the other in one task.`);

  const tenant = tenantWithId(agent.tenantId);
  const isRequired = await options.publishing.required(tenant, "Agent");
  const scopes = scopesOf(exchange.scopes, delegableScopes(principal, isRequired), agent.scopes);
  const request = {
    agentClientId: agent.clientId,
    agentTaskId: exchange.agentTaskId,
    subject: principal.subject,
    scopes: scopes.filter(needsAgentApproval),
  };
  const cause = { ...causeOf(context, principal.subject), principal: { ...principal, actors } };
  const approval = await approvalFor(options, request, tenant, { isRequired, cause });

  const token = new provider.AccessToken({
    client,
    gty: tokenExchange,
    grantId: principal.grantId ?? "",
    accountId: principal.subject,
    scope: scopes.join(" "),
    expiresIn: secondsLeft(principal.expiresAt, approval),
    resourceServer: platformResourceServer(provider, options.issuer, scopes),
  });
  const act = actors.reduceRight<object | undefined>(
    (behind, sub) => ({ sub, ...(behind && { act: behind }) }),
    undefined,
  );
  claimsOfTokens.set(token, {
    tenantId: agent.tenantId,
    tenantSlug: agent.tenantSlug,
    editionCode: agent.editionCode,
    principalType: "Agent",
    roles: [],
    platformAdmin: false,
    agentTaskId: exchange.agentTaskId,
    ...(approval && { approvalId: approval.approvalId }),
    ...(request.scopes.length > 0 && !isRequired && { publishApproval: "NotRequired" }),
    ...(principal.grantId !== undefined && { grantId: principal.grantId }),
    act,
    versions: exchangedVersions(subject, agent),
  });
  context.oidc.entity("AccessToken", token);
  context.body = {
    access_token: await token.save(),
    issued_token_type: exchange.issuedTokenType,
    token_type: "Bearer",
    expires_in: token.expiration,
    scope: token.scope,
  };
  const { tenantId } = agent;
  const { agentTaskId } = exchange;
  const facts = { tenantId, agentTaskId, subject: principal.subject, actors, approvalId: approval?.approvalId };
  options.logger.info({ ...facts, tokenId: token.jti, traceId: cause.trace.traceId }, "token exchanged");
}

function requireAgent({ principalType, tenantStatus }: RegisteredClient): void {
  if (principalType !== "Agent")
    throw new errors.UnauthorizedClient("Only a client with the principal type Agent may exchange tokens.");
  if (tenantStatus !== "Active")
    throw new OAuthError(
      "TENANT_SUSPENDED",
      "invalid_grant",
      "The tenant of the client is not active. Ask a platform administrator.",
    );
}

/** An agent that acts for another agent works on the same task. */
function requireSameTask({ principal }: SubjectToken, agentTaskId: string): void {
  if (principal.agentTaskId !== undefined && principal.agentTaskId !== agentTaskId)
    throw new OAuthError(
      "AGENT_TASK_MISMATCH",
      "invalid_request",
      "The subject_token belongs to another agent task. Send its agent_task_id.",
    );
}

/**
 * The scopes that an agent may get from its subject. The agent's approval is also one for the subject, because the
 * subject may not give it; without it, scopes that the subject may not use yet stay withheld.
 */
function delegableScopes({ scopes, withheldScopes = [] }: Principal, isRequired: boolean): ReadonlySet<string> {
  return isRequired ? new Set([...scopes, ...withheldScopes]) : scopes;
}

/** Without a `scope` parameter: all common scopes but the publishing ones, which must be asked for by name. */
function scopesOf(
  requestedScopes: readonly string[] | undefined,
  subjectScopes: ReadonlySet<string>,
  agentScopes: readonly string[],
): Scope[] {
  const common = agentScopes.filter((scope) => subjectScopes.has(scope) && isAgentScope(scope));
  const refusedScopes = requestedScopes?.filter((scope) => !common.includes(scope)) ?? [];
  if (refusedScopes.length > 0) throw scopeNotAllowed(refusedScopes);
  const scopes = requestedScopes ?? common.filter((scope) => !needsAgentApproval(scope));
  if (scopes.length === 0)
    throw new errors.InvalidScope("Subject and agent have no scope in common that an agent may use.", "");
  return [...new Set(scopes)] as Scope[];
}

/**
 * The subject's rights, and the clients before the agent, were read when the subject token was made. So the new token
 * ends with the client at which a person signed in. An agent that acts a second time in the chain has its earlier
 * version.
 */
function exchangedVersions({ principal, versions }: SubjectToken, agent: RegisteredClient): TokenVersions {
  const clients = {
    [agent.clientId]: agent.versions.client,
    // a token from an earlier release names no clients
    [principal.clientId]: clientVersion(versions, principal.clientId),
    ...versions.clients,
  };
  return { subject: versions.subject, clients, tenant: agent.versions.tenant };
}

async function approvalFor(
  { approvals }: TokenExchangeOptions,
  request: ApprovalRequest,
  tenant: Tenant,
  { isRequired, cause }: { isRequired: boolean; cause: Cause },
): Promise<ApprovalDecision | undefined> {
  if (request.scopes.length === 0 || !isRequired) return undefined;
  return requireApproved(approvals.requestOrFind(tenant, request, cause));
}

/** The new token expires no later than the subject token and the approval. */
function secondsLeft(subjectExpiresAt: number, approval: ApprovalDecision | undefined): number {
  const now = Math.floor(Date.now() / 1000);
  const approvedUntil = approval ? Math.floor(approval.validUntil.getTime() / 1000) : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(agentTokenSeconds, subjectExpiresAt - now, approvedUntil - now));
}

function platformResourceServer(provider: Provider, issuer: string, scopes: readonly Scope[]) {
  return new provider.ResourceServer(issuer, {
    scope: scopes.join(" "),
    audience: issuer,
    accessTokenTTL: agentTokenSeconds,
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: "ES256" } },
  });
}
