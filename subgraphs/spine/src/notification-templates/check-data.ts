import type { FieldError } from "@factory/runtime/errors/domain-error";
import { webAddress } from "./compose-message.js";
import type { MessageTemplate, TemplateVariable } from "./message-template.js";

type Data = Readonly<Record<string, unknown>>;

/** The problems of the data of a template. Members that it does not use are allowed. */
export function dataProblems({ variables }: MessageTemplate, data: Data): FieldError[] {
  return Object.entries(variables).flatMap(([name, variable]) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    const problem = problemOf(value, variable);
    return problem ? [{ pointer: `/data/${name}`, ...problem }] : [];
  });
}

function problemOf(value: unknown, { type, optional }: TemplateVariable): Omit<FieldError, "pointer"> | undefined {
  if (value === undefined || value === null || value === "")
    return optional ? undefined : { code: "REQUIRED", detail: "The template needs this value." };
  if (type === "number")
    return typeof value === "number" ? undefined : { code: "TYPE", detail: "The value must be a number." };
  if (typeof value !== "string") return { code: "TYPE", detail: "The value must be a text." };
  if (type === "address" && webAddress(value) === undefined)
    return {
      code: "FORMAT",
      detail:
        "The value must be an address that begins with https:// or http://, without a user name, with at most 2048 characters.",
    };
  return undefined;
}
