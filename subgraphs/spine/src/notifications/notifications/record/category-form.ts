/** A category's form in inputs. */
export const categoryForm = { maxLength: 64, pattern: "^[a-z][a-z0-9._-]*$" } as const;

/** The same form in words, for descriptions. */
export const categoryFormInWords = "a small letter, then small letters, digits, dots, underscores and hyphens";
