import type { LibraryVersionStatus } from "@factory/schema/vocabularies/libraries";

/**
 * A version's states with the states that may follow. Versions are Published at once unless the input has publish:
 * false. Retired is a recall: it makes every set with the version incompatible.
 */
const libraryVersionStates = {
  Registered: { next: ["Published"], event: "LibraryVersionRegistered" },
  Published: { next: ["Deprecated", "Retired"], event: "LibraryVersionPublished" },
  Deprecated: { next: ["Retired"], event: "LibraryVersionDeprecated" },
  Retired: { next: [], event: "LibraryVersionRetired" },
} as const satisfies Record<LibraryVersionStatus, object>;

export type LibraryVersionState = LibraryVersionStatus;

/** The states in which projects can use a version. */
export type ReleasedState = Exclude<LibraryVersionState, "Registered">;

/** The states from which a version may change to this one. */
export function statesBefore(state: LibraryVersionState): LibraryVersionState[] {
  const states = Object.keys(libraryVersionStates) as LibraryVersionState[];
  return states.filter((from) => libraryVersionStates[from].next.some((next) => next === state));
}
