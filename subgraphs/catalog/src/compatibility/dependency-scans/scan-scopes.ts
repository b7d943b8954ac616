import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";

/** A scan's subject: a template version, or a library set where it is null. */
type TemplateVersion = string | null;

/** Whether the caller may read scans of this kind. */
export function mayRead(context: RequestContext, templateVersion: TemplateVersion): boolean {
  return holdsOne(context, templateVersion === null ? ["libraries.read"] : ["templates.read"]);
}

/** Whether the caller may read the result. The scopes that start a scan are enough, too. */
export function mayReadResult(context: RequestContext, templateVersion: TemplateVersion): boolean {
  const starting: Scope[] = ["templates.write", "templates.execute"];
  return mayRead(context, templateVersion) || (templateVersion !== null && holdsOne(context, starting));
}

/** A set's scan tells what the catalog knows about libraries. Throws INSUFFICIENT_SCOPE. */
export function requireLibraryScope(context: RequestContext): void {
  if (mayRead(context, null)) return;
  throw new DomainError("INSUFFICIENT_SCOPE", {
    detail: "Scanning a set of libraries also needs the scope libraries.read. Ask for a token with it.",
    requiredScopes: ["libraries.read"],
  });
}

function holdsOne(context: RequestContext, scopes: readonly Scope[]): boolean {
  const heldScopes = principalOf(context).scopes;
  return scopes.some((scope) => heldScopes.has(scope));
}
