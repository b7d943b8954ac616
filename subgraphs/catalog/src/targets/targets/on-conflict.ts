/** The choices for a produced file that differs from the target's file. */
export const onConflictChoices = ["fail", "overwrite", "merge"] as const;

/** One of `onConflictChoices`. */
export type OnConflict = (typeof onConflictChoices)[number];
