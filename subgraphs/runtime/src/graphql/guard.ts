import type { ErrorCode } from "@factory/schema/error-codes";
import {
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  getNamedType,
  isInputObjectType,
} from "graphql";
import { requireAgentApproval, requireNoneWithheld } from "../auth/agent-approval.js";
import { DomainError, type FieldError } from "../errors/domain-error.js";
import { canonicalForm } from "../input-validation/canonical-form.js";
import { inputRefusal } from "../input-validation/input-refusal.js";
import { fieldSchema } from "../input-validation/input-schema.js";
import { inputValidator } from "../input-validation/input-validator.js";
import { refusalCode } from "../input-validation/refusal-code.js";
import { isFlatAndStorable, storability } from "../input-validation/storable-text.js";
import type { Logger } from "../telemetry/logger.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { principalOf } from "../tenancy/tenant.js";
import { longWork } from "../threads/long-work.js";
import type { AuthRule } from "./auth.js";
import { type EntityReference, type ReferenceResolver, valueFor } from "./entity-reference.js";
import { toGraphqlError } from "./graphql-error.js";

type Resolver = GraphQLFieldResolver<unknown, RequestContext>;
type Field = GraphQLField<unknown, RequestContext>;

/** Checks every entry into a subgraph (root fields and references), even if the gateway has checked it before. */
export class Guard {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Wraps a field: checks scopes and input limits, then resolves it or subscribes. */
  field(field: Field, rule: AuthRule, resolve: Resolver): Resolver {
    const check = argumentCheck(field);
    return async (source, args, context, info) => {
      try {
        authorize(rule, context);
        if (rule.internal && !context.internal)
          throw new DomainError("NOT_FOUND", { detail: "This operation is available on the internal listener only." });
        if (!isFlatAndStorable(args)) {
          const texts = longWork.begin(context.principal?.tenantId ?? "", storability(args));
          requireStorable(texts instanceof Promise ? await texts : texts);
        }
        return await resolve(source, check(args), context, info);
      } catch (error) {
        throw this.#answer(error, field.name, context);
      }
    };
  }

  /** A field below the root that reads for itself: its errors show no more than a root field's errors. */
  nested(field: Field, rule: AuthRule | undefined, resolve: Resolver): Resolver {
    return async (source, args, context, info) => {
      try {
        if (rule) authorize(rule, context);
        return await resolve(source, args, context, info);
      } catch (error) {
        throw this.#answer(error, field.name, context);
      }
    };
  }

  /** An entity is reached through any root field, whose scope says nothing about the entity. */
  reference(type: string, { id: key, auth, resolve }: EntityReference): ReferenceResolver {
    return async ({ id, ...reference }, context) => {
      try {
        authorize(auth, context);
        if (!key || id === undefined) return (await resolve(reference, context)) ?? null;
        const value = valueFor(key, id, context);
        return (value !== undefined && (await resolve({ [key.field]: value }, context))) || null;
      } catch (error) {
        throw this.#answer(error, type, context);
      }
    };
  }

  #answer(error: unknown, operation: string, context: RequestContext): GraphQLError {
    const answer = toGraphqlError(error, context);
    const facts = { err: error, operation, traceId: context.trace.traceId, tenantId: context.principal?.tenantId };
    if (answer.extensions["code"] === "INTERNAL") this.#logger.error(facts, "a bug was answered as INTERNAL");
    else if (answer.extensions["code"] === "UNAVAILABLE")
      this.#logger.warn(facts, "a request was answered as UNAVAILABLE");
    return answer;
  }
}

/**
 * Throws UNAUTHENTICATED, INSUFFICIENT_SCOPE, APPROVAL_REQUIRED or PLATFORM_ADMIN_REQUIRED unless the caller fulfills
 * the rule.
 */
export function authorize(rule: AuthRule, context: RequestContext): void {
  if (rule.anonymous) return;
  const principal = principalOf(context);
  if (rule.scopes && !rule.scopes.some((scope) => principal.scopes.has(scope))) {
    requireNoneWithheld(principal, rule.scopes);
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The token has none of the scopes that allow this operation: ${rule.scopes.join(", ")}. Ask for a token with one of them.`,
      requiredScopes: rule.scopes,
    });
  }
  if (rule.scopes) requireAgentApproval(principal, rule.scopes);
  if (rule.platformAdmin && !principal.platformAdmin)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail: "Only administrators of the platform may call this operation.",
    });
}

/** A document, variables in a GET and a websocket arrive without the front door reading the body. */
function requireStorable(errors: FieldError[]): void {
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The input contains text that cannot be stored. See errors.",
      errors,
    });
}

/**
 * Checks declared limits, and returns the arguments with each address, host name and URL in the form in which the platform
 * stores it. GraphQL itself checks the types.
 */
function argumentCheck(field: Field): (args: Record<string, unknown>) => Record<string, unknown> {
  const checks = field.args
    .filter(({ type, astNode }) => isInputObjectType(getNamedType(type)) || astNode?.directives?.length)
    .map((argument) => {
      const schema = fieldSchema(argument);
      return { ...argument, canonical: canonicalForm(schema), validate: inputValidator(schema) };
    });
  return (args) => {
    let forms = args;
    let code: ErrorCode | undefined;
    const errors: FieldError[] = checks.flatMap(({ name, type, canonical, validate }) => {
      if (args[name] === undefined) return [];
      const value = canonical(args[name]);
      if (value !== args[name]) forms = { ...forms, [name]: value };
      const valueErrors = validate(value);
      if (valueErrors.length > 0) code = refusalCode(type, valueErrors);
      return valueErrors.map((error) => ({ ...error, pointer: `/${name}${error.pointer}` }));
    });
    if (errors.length > 0) throw inputRefusal(errors, code);
    return forms;
  };
}
