/** The page on which people change their own password and factors, and see their sessions. */
export const ownSecurityPath = "/connect/security";
