import { DomainError } from "../errors/domain-error.js";

/** The headers If-Match and If-None-Match in a request that changes a resource. */
export interface Preconditions {
  readonly ifMatch?: string | null | undefined;
  readonly ifNoneMatch?: string | null | undefined;
  /** The resource does not exist, or has the version 0 of what the platform brings. */
  readonly expectsNone?: true;
}

interface EntityTag {
  readonly weak: boolean;
  readonly opaque: string;
}

const maxLength = 2048;
/** An entity tag in a list, with the comma or the end that must follow it (RFC 9110, sections 5.6.1 and 8.8.3). */
const listItem = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/y;
const emptyItem = /[ \t]*(?:,|$)/y;

/** A version's strong entity tag. */
export const versionTag = (version: number): string => `"${version}"`;

/**
 * Checks the preconditions (RFC 9110, sections 13.1.1 and 13.1.2) against the resource's version; undefined if it does
 * not exist. Throws PRECONDITION_FAILED, or VALIDATION_FAILED for a header that does not list entity tags.
 */
export function requirePreconditions(preconditions: Preconditions, version: number | undefined): void {
  const { ifMatch, ifNoneMatch, expectsNone } = preconditions;
  if (expectsNone && (version ?? 0) !== 0) throw failed("The request expects that the resource is new", version);
  const tags = {
    match: ifMatch == null ? undefined : readTags(ifMatch, "ifMatch"),
    noneMatch: ifNoneMatch == null ? undefined : readTags(ifNoneMatch, "ifNoneMatch"),
  };
  if (tags.match && !names(tags.match, version, { weakly: false }))
    throw failed("The request expects a different version than the current one", version);
  if (tags.noneMatch && names(tags.noneMatch, version, { weakly: true }))
    throw failed("The request excludes the current version", version);
}

/** Whether the list names the version. `*` names any version, but only if the resource exists. */
function names(
  tags: readonly EntityTag[] | "*",
  version: number | undefined,
  { weakly }: { weakly: boolean },
): boolean {
  if (version === undefined) return false;
  return tags === "*" || tags.some(({ weak, opaque }) => opaque === String(version) && (weakly || !weak));
}

function readTags(header: string, argument: string): readonly EntityTag[] | "*" {
  if (header.trim() === "*") return "*";
  const tags: EntityTag[] = [];
  for (let at = 0; at < header.length; ) {
    emptyItem.lastIndex = at;
    listItem.lastIndex = at;
    const [tag, emptyMatch] = [listItem.exec(header), emptyItem.exec(header)];
    if (header.length > maxLength || (!tag && !emptyMatch)) throw malformedError(argument);
    if (tag) tags.push({ weak: tag[1] !== undefined, opaque: tag[2] ?? "" });
    at += (tag ?? emptyMatch)?.[0].length ?? 0;
  }
  if (tags.length === 0) throw malformedError(argument);
  return tags;
}

const malformedError = (argument: string) =>
  new DomainError("VALIDATION_FAILED", {
    detail: "A precondition is not well formed. See errors.",
    errors: [
      {
        pointer: `/${argument}`,
        code: "FORMAT",
        detail: `Must be * or a list of entity tags such as "7", with commas between them and at most ${maxLength} characters.`,
      },
    ],
  });

function failed(reason: string, version: number | undefined): DomainError {
  const state = version === undefined ? "The resource does not exist." : `Its current version is ${version}.`;
  return new DomainError("PRECONDITION_FAILED", {
    detail: `${reason}. ${state} Read it again, and repeat the change if it still makes sense.`,
    currentVersion: version ?? null,
  });
}
