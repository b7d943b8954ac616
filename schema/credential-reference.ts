/** The pattern for a `…Ref` field. `#` separates a name from its version, so a name cannot contain it. */
export const credentialReferencePattern = "^(secret://)?[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$";
