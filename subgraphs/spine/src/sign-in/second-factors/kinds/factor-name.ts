import { isStorable } from "@factory/runtime/input-validation/storable-text";

/** The longest factor name, in characters as people count them. */
export const maxFactorNameLength = 100;

/** The name that a person has entered, without the spaces around it. Undefined: it is too long or cannot be stored. */
export function factorName(input: string | null): string | undefined {
  const name = (input ?? "").trim();
  return Array.from(name).length <= maxFactorNameLength && isStorable(name) ? name : undefined;
}
