/** What a tenant can subscribe to. A closed list until editions are rows of their own. */
export const editions = ["Free", "Standard", "Enterprise"] as const;
export type EditionCode = (typeof editions)[number];

export function isEdition(code: string): code is EditionCode {
  return editions.some((edition) => edition === code);
}
