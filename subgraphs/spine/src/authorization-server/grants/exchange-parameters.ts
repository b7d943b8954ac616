import { errors } from "oidc-provider";
import { OAuthError } from "../oauth-requests/oauth-error.js";

export const exchangeParameters = [
  "subject_token",
  "subject_token_type",
  "agent_task_id",
  "scope",
  "resource",
  "audience",
  "requested_token_type",
  "actor_token",
  "actor_token_type",
] as const;

export type ExchangeParameters = Partial<Record<(typeof exchangeParameters)[number], unknown>>;

export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly agentTaskId: string;
  /** Undefined: whatever there is. */
  readonly scopes: readonly string[] | undefined;
  readonly issuedTokenType: string;
}

/** An access token of ours is a JWT: both names fit. */
const tokenTypes = ["urn:ietf:params:oauth:token-type:access_token", "urn:ietf:params:oauth:token-type:jwt"] as const;

/** As correlation.agentTaskId takes it, but printable ASCII without blanks at its ends. */
const agentTaskIdPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** RFC 8693 section 2.1, and `agent_task_id`. */
export function parseExchangeRequest(parameters: ExchangeParameters, issuer: string): ExchangeRequest {
  if (parameters.actor_token !== undefined || parameters.actor_token_type !== undefined)
    throw new errors.InvalidRequest("actor_token is not supported: the actor is the client that authenticates");
  const subjectToken = required(parameters, "subject_token");
  const subjectTokenType = required(parameters, "subject_token_type");
  if (!isTokenType(subjectTokenType))
    throw new errors.InvalidRequest(`subject_token_type must be one of ${tokenTypes.join(", ")}`);
  const issuedTokenType = parameters.requested_token_type ?? tokenTypes[0];
  if (!isTokenType(issuedTokenType))
    throw new errors.InvalidRequest(`requested_token_type must be one of ${tokenTypes.join(", ")}`);
  const agentTaskId = required(parameters, "agent_task_id");
  if (!agentTaskIdPattern.test(agentTaskId))
    throw new errors.InvalidRequest("agent_task_id must be 1 to 200 printable ASCII characters");
  const targets = [parameters.resource, parameters.audience].flat().filter((target) => target !== undefined);
  if (!targets.every((target) => target === issuer || target === `${issuer}/`)) throw new errors.InvalidTarget();
  return { subjectToken, agentTaskId, scopes: scopesIn(parameters.scope), issuedTokenType };
}

function required(parameters: ExchangeParameters, name: keyof ExchangeParameters): string {
  const value = parameters[name];
  if (typeof value !== "string" || value === "")
    throw new OAuthError("VALIDATION_FAILED", "invalid_request", `missing required parameter '${name}'`);
  return value;
}

const isTokenType = (value: unknown): value is (typeof tokenTypes)[number] => tokenTypes.some((type) => type === value);

function scopesIn(scope: unknown): string[] | undefined {
  const scopes = typeof scope === "string" ? scope.split(" ").filter((one) => one !== "") : [];
  return scopes.length > 0 ? scopes : undefined;
}
