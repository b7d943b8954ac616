import { z } from "zod";

const base64url = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[\w-]+$/);

/** A credential ID has at most 1,023 bytes (WebAuthn Level 3, section 4). */
const maxIdLength = 1364;

const createdCredential = z.object({
  id: base64url(maxIdLength),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url(4096),
    attestationObject: base64url(8192),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .optional(),
  }),
});

const usedCredential = z.object({
  id: base64url(maxIdLength),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url(4096),
    authenticatorData: base64url(4096),
    signature: base64url(2048),
    userHandle: base64url(86).nullish(),
  }),
});

/** A browser's answer to a request for a new passkey, as the page's script sends it. */
export type CreatedCredential = z.infer<typeof createdCredential>;
/** A browser's answer to a request to use a passkey, as the page's script sends it. */
export type UsedCredential = z.infer<typeof usedCredential>;

/** Undefined for a text that is not a new passkey's JSON. */
export const readCreatedCredential = (text: string | null) => read(createdCredential, text);

/** Undefined for a text that is not the JSON for a passkey's use. */
export const readUsedCredential = (text: string | null) => read(usedCredential, text);

function read<T>(schema: z.ZodType<T>, text: string | null): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}
