import type { RecordRefusal } from "@factory/runtime/commands/command-refusals";

/** Records that the catalog refused a command. */
export const recordRefusal: RecordRefusal = ({ record }, { subject, partitionKey, data }) => {
  record({ type: "CommandRefused", subject, partitionKey, data });
};
