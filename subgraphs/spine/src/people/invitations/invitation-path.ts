/** The path to the page behind an invitation's link. */
export const invitationPath = "/connect/invitation";
