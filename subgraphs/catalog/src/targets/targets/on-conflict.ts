import type { ConflictStrategy } from "@factory/schema/vocabularies/executions";

/** The treatment for a produced file that differs from the target's file. */
export type OnConflict = ConflictStrategy;
