import { type ConflictStrategy, conflictStrategies } from "@factory/schema/vocabularies/executions";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";

/** The choices for a produced file that differs from the target's file. */
export const onConflictChoices = valuesOf(conflictStrategies);

/** One of `onConflictChoices`. */
export type OnConflict = ConflictStrategy;
