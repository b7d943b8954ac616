/** The path of the page behind the link of an invitation. */
export const invitationPath = "/connect/invitation";
