import type { FieldError } from "@factory/runtime/errors/domain-error";
import { isForeignNumber } from "@factory/runtime/json/number-order";
import { webAddress } from "./compose-message.js";
import type { MessageTemplate, TemplateVariable } from "./message-template.js";

type Data = Readonly<Record<string, unknown>>;

/** The problems in a template's data. Members that it does not use are allowed. */
export function dataProblems({ variables }: MessageTemplate, data: Data): FieldError[] {
  return Object.entries(variables).flatMap(([name, variable]) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    const problem = problemOf(value, variable);
    return problem ? [{ pointer: `/data/${name}`, ...problem }] : [];
  });
}

type Problem = Omit<FieldError, "pointer">;

function problemOf(value: unknown, { type, optional, members = [] }: TemplateVariable): Problem | undefined {
  if (value === undefined || value === null || value === "")
    return optional ? undefined : { code: "REQUIRED", detail: "The template needs this value." };
  if (type === "number")
    return isForeignNumber(value) ? undefined : { code: "TYPE", detail: "The value must be a number." };
  if (type === "boolean")
    return typeof value === "boolean" ? undefined : { code: "TYPE", detail: "The value must be true or false." };
  if (type === "list") return listProblem(value, members);
  if (typeof value !== "string") return { code: "TYPE", detail: "The value must be a text." };
  if (type === "address" && webAddress(value) === undefined)
    return {
      code: "FORMAT",
      detail:
        "The value must be an address that begins with https:// or http://, without a user name, with at most 2048 characters.",
    };
  return undefined;
}

function listProblem(value: unknown, members: readonly string[]): Problem | undefined {
  const fits = members.length === 0 ? isScalar : (item: unknown) => hasScalars(item, members);
  if (Array.isArray(value) && value.every(fits)) return undefined;
  const items =
    members.length === 0 ? "texts, numbers or truth values" : `objects with the members ${members.join(", ")}`;
  return { code: "TYPE", detail: `The value must be a list of ${items}.` };
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "boolean" || isForeignNumber(value);

/** Members may be absent. */
const hasScalars = (item: unknown, members: readonly string[]): boolean =>
  typeof item === "object" &&
  item !== null &&
  !Array.isArray(item) &&
  !isForeignNumber(item) &&
  members.every((name) => {
    const value = Object.hasOwn(item, name) ? (item as Data)[name] : undefined;
    return value === undefined || value === null || isScalar(value);
  });
