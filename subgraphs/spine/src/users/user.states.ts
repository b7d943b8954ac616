export const userStates = {
  Active: { next: ["Disabled", "Deleted"], event: "UserEnabled" },
  Disabled: { next: ["Active", "Deleted"], event: "UserDisabled" },
  Deleted: { next: [], event: "UserDeleted" },
} as const;

export type UserState = keyof typeof userStates;
