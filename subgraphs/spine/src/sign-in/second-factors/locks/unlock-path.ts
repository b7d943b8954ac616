/** The page on which people unlock their codes. The link in a mail adds the token. */
export const unlockPath = "/connect/second-factor-lock";
