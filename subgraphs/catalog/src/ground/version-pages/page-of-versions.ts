import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, type PageBounds, pageOf, pageReach } from "@factory/runtime/pagination/page";

interface Versioned {
  readonly semanticVersion: string;
}

interface VersionOrder {
  readonly cursors: CursorSeal;
  /** Binds a cursor to this list. */
  readonly scope: Readonly<Record<string, unknown>>;
  readonly compare: (a: Versioned, b: Versioned) => number;
}

/** A page of versions that are in memory in their order. A cursor holds a version. */
export function pageOfVersions<Version extends Versioned>(
  versions: readonly Version[],
  bounds: PageBounds,
  { cursors, scope, compare }: VersionOrder,
): Connection<Version> {
  const reach = pageReach(bounds);
  const { cursor } = reach;
  const cursorVersion = cursor === undefined ? undefined : { semanticVersion: String(cursors.open(scope, cursor)) };
  const page = pageOf(versions, reach, cursorVersion && ((version) => compare(version, cursorVersion)));
  return connectionOf(page, reach, ({ semanticVersion }) => cursors.seal(scope, semanticVersion));
}
