import { storableText } from "@factory/runtime/input-validation/storable-text";

/** A tool in a server's list that the platform does not offer. */
export interface LeftOutTool {
  /** As the server calls it, without what no text may hold. Empty where the server gives no name. */
  readonly toolName: string;
  readonly reason: string;
}

const maxNameLength = 128;
/** At most so many are named, however long the list is. */
export const maxLeftOut = 100;

export function leftOutTool(name: unknown, reason: string): LeftOutTool {
  const text = typeof name === "string" ? name : "";
  const toolName = storableText(text.slice(0, maxNameLength)).replace(/\p{Cc}/gu, " ");
  return { toolName, reason };
}
