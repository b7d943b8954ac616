import type { RecordRefusal } from "@factory/runtime/commands/command-refusals";

/** Records that the spine refused a command. */
export const recordRefusal: RecordRefusal = ({ record }, { subject, partitionKey, data }) => {
  record({ type: "CommandDeclined", subject, partitionKey, data });
};
