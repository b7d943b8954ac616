/** The path to the pages that reset a password. The link in a mail adds the token. */
export const resetPath = "/connect/password-reset";
