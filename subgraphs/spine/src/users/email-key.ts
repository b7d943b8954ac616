/** The form in which addresses are compared. Mail providers ignore case, although RFC 5321 section 2.4 does not. */
export const emailKey = (email: string): string => email.normalize("NFC").toLowerCase();
