/** One way. Versions enter Published, or Registered when asked to wait; Retired is a security recall: it makes a set incompatible. */
export const libraryVersionStates = {
  Registered: { next: ["Published"], event: "LibraryVersionRegistered" },
  Published: { next: ["Deprecated", "Retired"], event: "LibraryVersionPublished" },
  Deprecated: { next: ["Retired"], event: "LibraryVersionDeprecated" },
  Retired: { next: [], event: "LibraryVersionRetired" },
} as const;

export type LibraryVersionState = keyof typeof libraryVersionStates;

/** States of a version that projects may know of. */
export type ReleasedState = Exclude<LibraryVersionState, "Registered">;

/** The states from which a version may move to this one. */
export function statesBefore(state: LibraryVersionState): LibraryVersionState[] {
  const states = Object.keys(libraryVersionStates) as LibraryVersionState[];
  return states.filter((from) => libraryVersionStates[from].next.some((next) => next === state));
}
