/** The editions that a tenant can subscribe to. The list is fixed until editions are stored in a table. */
export const editions = ["Free", "Standard", "Enterprise"] as const;
export type EditionCode = (typeof editions)[number];

export function isEdition(code: string): code is EditionCode {
  return editions.some((edition) => edition === code);
}
