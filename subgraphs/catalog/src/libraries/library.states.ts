/** Versions enter Published. Retired is a security recall: it makes a set incompatible. */
export const libraryVersionStates = {
  Published: { next: ["Deprecated", "Retired"], event: "LibraryVersionPublished" },
  Deprecated: { next: ["Retired"], event: "LibraryVersionDeprecated" },
  Retired: { next: [], event: "LibraryVersionRetired" },
} as const;

export type LibraryVersionState = keyof typeof libraryVersionStates;
