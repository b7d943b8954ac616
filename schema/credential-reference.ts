/** What a `…Ref` field holds. `#` parts a name from its version, so no name holds one. */
export const credentialReferencePattern = "^(secret://)?[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$";
