import type { UserStatus } from "@factory/schema/vocabularies/people";
export const userStates = {
  Active: { next: ["Disabled", "Deleted"], event: "UserEnabled" },
  Disabled: { next: ["Active", "Deleted"], event: "UserDisabled" },
  Deleted: { next: [], event: "UserDeleted" },
} as const satisfies Record<UserStatus, object>;

/** A user's states. A deleted user keeps its row without personal data. */
export type UserState = UserStatus;
