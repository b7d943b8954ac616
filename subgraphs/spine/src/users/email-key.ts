/** Two spellings of an address are one mailbox to every provider that people use, whatever RFC 5321 section 2.4 allows. */
export const emailKey = (email: string): string => email.normalize("NFC").toLowerCase();
