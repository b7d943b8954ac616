const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** An HMAC's bytes; undefined unless the text is its only encoding with exactly the algorithm's length. */
export const decodeSignature = (
  text: string,
  { algorithm, encoding }: { readonly algorithm: keyof typeof digestBytes; readonly encoding: "hex" | "base64" },
): Buffer | undefined => decodeBytes(text, encoding, digestBytes[algorithm]);

/** So many bytes; undefined for any other text. */
export function decodeBytes(text: string, encoding: "hex" | "base64", bytes: number): Buffer | undefined {
  const decodedBytes = encoding === "hex" ? decodeHex(text) : decodeBase64(text);
  return decodedBytes?.length === bytes ? decodedBytes : undefined;
}

/**
 * The bytes that a text in base64 encodes. Node ignores other characters, so the text is compared with the canonical
 * form.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return text !== "" && bytes.toString("base64") === text ? bytes : undefined;
}

const decodeHex = (text: string): Buffer | undefined =>
  text.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(text) ? Buffer.from(text, "hex") : undefined;

/** A key's bytes; undefined for a text that is not in the encoding. */
export const decodeKey = (secret: string, encoding: "base64" | "hex"): Buffer | undefined =>
  encoding === "hex" ? decodeHex(secret) : decodeBase64(secret);
