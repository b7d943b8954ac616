import type { FieldError } from "@factory/runtime/errors/domain-error";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import type { LocatedRepository, SourceControl } from "./source-control.js";

/** The pull request as a request names it. */
export interface RequestedPullRequest {
  readonly title?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

/** The part of a requested target that names a connection. */
interface RequestedConnectionTarget {
  readonly repository: string;
  readonly connectionId: string;
  readonly credentialRef?: string | null | undefined;
}

/** A connection that is a target, with the pull request that is to be opened through it. */
export interface ConnectionTarget {
  readonly connectionId: string;
  readonly providerId: string;
}

/** A caller who may not read connections must not use one either. */
const readConnections = "integration.connections.read" satisfies Scope;

const maxLabelLength = 50;

/**
 * Locates the repository for a target that is a connection. Throws INSUFFICIENT_SCOPE, and what `SourceControl.locate`
 * throws.
 */
export async function locateTarget(
  sourceControl: SourceControl,
  context: RequestContext,
  { repository, connectionId, credentialRef }: RequestedConnectionTarget,
): Promise<LocatedRepository> {
  if (!principalOf(context).scopes.has(readConnections))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `A target that is a connection needs a token with the scope ${readConnections} as well.`,
      requiredScopes: [readConnections],
    });
  if (credentialRef != null)
    throw problem("credentialRef", "A connection has a credential of its own. Leave credentialRef out.");
  const { tenantId } = tenantOf(context);
  return sourceControl.locate({
    ...{ tenantId, connectionId, repository, subject: "executions/asked", trace: context.trace },
  });
}

/** Throws TARGET_INVALID for a pull request without a connection, and for labels that vendors cannot have. */
export function checkPullRequest(
  pullRequest: RequestedPullRequest | null | undefined,
  connectionId: string | null | undefined,
): void {
  if (pullRequest == null) return;
  if (connectionId == null)
    throw problem("pullRequest", "A pull request needs target.connectionId, which names the connection to its vendor.");
  if (pullRequest.title != null && /\p{Cc}/u.test(pullRequest.title))
    throw problem("pullRequest/title", "The title must be one line without control characters.");
  for (const [index, label] of (pullRequest.labels ?? []).entries())
    if (label.trim() === "" || label.length > maxLabelLength || /[,\p{Cc}]/u.test(label))
      throw problem(
        `pullRequest/labels/${index}`,
        `A label has 1 to ${maxLabelLength} characters, without commas and control characters.`,
      );
}

function problem(member: string, detail: string): DomainError {
  const error: FieldError = { pointer: `/target/${member}`, code: "FORMAT", detail };
  return inputProblem("TARGET_INVALID", error);
}
