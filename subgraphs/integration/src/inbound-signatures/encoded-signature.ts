const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** The bytes of an HMAC; undefined unless the text is its only encoding with exactly the length of the algorithm. */
export function decodeSignature(
  text: string,
  { algorithm, encoding }: { readonly algorithm: keyof typeof digestBytes; readonly encoding: "hex" | "base64" },
): Buffer | undefined {
  const bytes = digestBytes[algorithm];
  if (encoding === "hex")
    return text.length === 2 * bytes && /^[0-9A-Fa-f]+$/.test(text) ? Buffer.from(text, "hex") : undefined;
  const decoded = decodeBase64(text);
  return decoded?.length === bytes ? decoded : undefined;
}

/** The bytes of a text in base64. Node ignores other characters, so the text is compared with the canonical form. */
export function decodeBase64(text: string): Buffer | undefined {
  const decoded = Buffer.from(text, "base64");
  return text !== "" && decoded.toString("base64") === text ? decoded : undefined;
}
