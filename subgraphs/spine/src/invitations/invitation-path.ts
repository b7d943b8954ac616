export const invitationPath = "/connect/invitation";
