import type { RecordRefusal } from "@factory/runtime/commands/command-refusals";

/** Records that a command of the catalog was refused. */
export const recordRefusal: RecordRefusal = ({ record }, { subject, partitionKey, data }) => {
  record({ type: "CommandRefused", subject, partitionKey, data });
};
