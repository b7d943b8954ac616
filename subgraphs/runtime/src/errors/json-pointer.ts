/** A member name as a token in a JSON pointer (RFC 6901, section 3). */
export const pointerToken = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
