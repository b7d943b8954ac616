/** The form of a category in inputs. */
export const categoryForm = { maxLength: 64, pattern: "^[a-z][a-z0-9._-]*$" } as const;
