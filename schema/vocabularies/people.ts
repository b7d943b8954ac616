import { type ValueOf, vocabulary } from "./vocabulary.js";

export const principalTypes = vocabulary("PrincipalType", "The kinds of principals.", {
  User: "A person.",
  Service: "A client that acts for itself.",
  Agent: "A client that acts for a person.",
});
export type PrincipalType = ValueOf<typeof principalTypes>;

export const clientPrincipalTypes = vocabulary(
  "ApiClientPrincipalType",
  "The kinds of principals that a client can be.",
  {
    Service: "The client acts for itself.",
    Agent: "The client acts for a person.",
  },
);
export type ApiClientPrincipalType = ValueOf<typeof clientPrincipalTypes>;

export const clientStatuses = vocabulary("ApiClientStatus", "The states of a client.", {
  Active: "The client gets tokens.",
  Disabled: "The client gets no tokens, and those that it has are revoked.",
});
export type ApiClientStatus = ValueOf<typeof clientStatuses>;

export const userStatuses = vocabulary("UserStatus", "The states of a user.", {
  Active: "The user can sign in.",
  Disabled: "The user cannot sign in until somebody enables it.",
  Deleted: "The personal data of the user is erased.",
});
export type UserStatus = ValueOf<typeof userStatuses>;

export const clientsOfDeletedUser = vocabulary(
  "ClientsOfDeletedUser",
  "Decides what happens to the clients whose secret only the deleted or disabled user knows.",
  {
    Disable: "The clients are disabled.",
    Keep: "The clients stay as they are.",
  },
);
export type ClientsOfDeletedUser = ValueOf<typeof clientsOfDeletedUser>;

export const invitationStatuses = vocabulary("InvitationStatus", "The states of an invitation.", {
  Pending: "The invitation can be accepted.",
  Accepted: "The invited person has become a user.",
  Revoked: "The invitation was taken back.",
  Expired: "The time of the invitation has ended.",
});
export type InvitationStatus = ValueOf<typeof invitationStatuses>;

export const sessionKinds = vocabulary("SessionKind", "The kinds of sessions of a person.", {
  Browser: "The person is signed in with a browser.",
  Application: "An application holds tokens of the person.",
});
export type SessionKind = ValueOf<typeof sessionKinds>;

export const passwordStatuses = vocabulary("PasswordChangeStatus", "The results of a change of a password.", {
  Changed: "The password is changed.",
  ResetRequested: "A mail with a link is sent if the address has a user.",
});
export type PasswordChangeStatus = ValueOf<typeof passwordStatuses>;
