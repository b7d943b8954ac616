import { errors } from "oidc-provider";
import { OAuthError } from "../oauth-requests/oauth-error.js";

/** The token exchange parameters (RFC 8693 section 2.1), and `agent_task_id`. */
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

/** A token exchange request with valid parameters. */
interface ExchangeRequest {
  readonly subjectToken: string;
  readonly agentTaskId: string;
  /** Undefined: all scopes that subject and agent have in common. */
  readonly scopes: readonly string[] | undefined;
  readonly issuedTokenType: string;
}

/** Our access tokens are JWTs, so both types name them. */
const tokenTypes = ["urn:ietf:params:oauth:token-type:access_token", "urn:ietf:params:oauth:token-type:jwt"] as const;

/** 1 to 200 printable ASCII characters, without spaces at the ends. */
const agentTaskIdPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** Checks a token exchange's parameters. Throws `invalid_request`, or `invalid_target` for another resource. */
export function parseExchangeRequest(parameters: ExchangeParameters, issuer: string): ExchangeRequest {
  if (parameters.actor_token !== undefined || parameters.actor_token_type !== undefined)
    throw new errors.InvalidRequest(
      "The parameter actor_token is not supported. The actor is the client that authenticates.",
    );
  const subjectToken = required(parameters, "subject_token");
  const subjectTokenType = required(parameters, "subject_token_type");
  if (!isTokenType(subjectTokenType))
    throw new errors.InvalidRequest(`The parameter subject_token_type must be one of ${tokenTypes.join(", ")}.`);
  const issuedTokenType = parameters.requested_token_type ?? tokenTypes[0];
  if (!isTokenType(issuedTokenType))
    throw new errors.InvalidRequest(`The parameter requested_token_type must be one of ${tokenTypes.join(", ")}.`);
  const agentTaskId = required(parameters, "agent_task_id");
  if (!agentTaskIdPattern.test(agentTaskId))
    throw new errors.InvalidRequest(
      "The parameter agent_task_id must be 1 to 200 printable ASCII characters, without spaces at its ends.",
    );
  const targets = [parameters.resource, parameters.audience].flat().filter((target) => target !== undefined);
  if (!targets.every((target) => target === issuer || target === `${issuer}/`)) throw new errors.InvalidTarget();
  return { subjectToken, agentTaskId, scopes: scopesIn(parameters.scope), issuedTokenType };
}

function required(parameters: ExchangeParameters, name: keyof ExchangeParameters): string {
  const value = parameters[name];
  if (typeof value !== "string" || value === "")
    throw new OAuthError(
      "VALIDATION_FAILED",
      "invalid_request",
      `The parameter ${name} is missing. Send it once, with a value.`,
    );
  return value;
}

const isTokenType = (value: unknown): value is (typeof tokenTypes)[number] => tokenTypes.some((type) => type === value);

function scopesIn(scope: unknown): string[] | undefined {
  const scopes = typeof scope === "string" ? scope.split(" ").filter((name) => name !== "") : [];
  return scopes.length > 0 ? scopes : undefined;
}
