/** What happens when a produced file differs from the target's. */
export const onConflictChoices = ["fail", "overwrite", "merge"] as const;

export type OnConflict = (typeof onConflictChoices)[number];
