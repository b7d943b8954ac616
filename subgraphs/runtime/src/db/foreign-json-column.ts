/**
 * A column for foreign JSON. The type `json` keeps a number's text, and readers get it (`openPool`). `jsonb` would
 * write `1e400` with 401 digits and `-0` without its sign, and refuses `1e200000`; so such a column is never cast to
 * it. The ORM writes into the object, so each column has its own.
 */
export const foreignJson = () => ({ type: "json", columnType: "json" }) as const;
