import type { RecordRefusal } from "@factory/runtime/commands/command-refusals";

/** Records that a command of the spine was refused. */
export const recordRefusal: RecordRefusal = ({ record }, { subject, partitionKey, data }) => {
  record({ type: "CommandDeclined", subject, partitionKey, data });
};
