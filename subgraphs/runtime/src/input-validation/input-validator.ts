import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FieldError } from "../errors/domain-error.js";
import { pointerToken } from "../errors/json-pointer.js";
import { canonicalTexts } from "./canonical-form.js";
import type { JsonSchema } from "./input-schema.js";

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  allowUnionTypes: true,
  ownProperties: true,
  unicodeRegExp: true,
  // With `verbose` an error has the schema, and so its member's description.
  verbose: true,
});
addFormats.default(ajv, ["date", "date-time"]);

const isUri = addFormats.default.get("uri") as (text: string) => boolean;
for (const [name, canonical] of Object.entries(canonicalTexts))
  ajv.addFormat(name, (text: string) => {
    const form = canonical(text);
    return form !== undefined && (name !== "iri" || isUri(form));
  });

/** PostgreSQL knows no year 0 and no offset from 16 hours on. RFC 3339 allows both. */
const unstorableTime = /^0000|[+-](?:1[6-9]|2\d)(?::?\d{2})?$/;
const rfc3339 = addFormats.default.get("date-time") as { validate: (text: string) => boolean };
ajv.addFormat("date-time", (text: string) => rfc3339.validate(text) && !unstorableTime.test(text));

const maxReported = 20;

/**
 * Returns a check that lists every rule that a value breaks. The schema is compiled at the first call; compiling all at
 * the start would take a tenth of the start time.
 */
export function inputValidator(schema: JsonSchema): (value: unknown) => FieldError[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value)
      ? []
      : ofRightType(validate.errors ?? [])
          .slice(0, maxReported)
          .map(fieldError);
  };
}

/** Leaves out that a value of a wrong type is not one of the allowed values either. */
function ofRightType(errors: readonly ErrorObject[]): ErrorObject[] {
  const wrongTypes = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === "type" ? [instancePath] : [])));
  return errors.filter(({ keyword, instancePath }) => keyword !== "enum" || !wrongTypes.has(instancePath));
}

const codes: Record<string, string> = {
  required: "REQUIRED",
  type: "TYPE",
  format: "FORMAT",
  pattern: "FORMAT",
  maxLength: "TOO_LONG",
  maxItems: "TOO_LONG",
  minLength: "TOO_SHORT",
  minItems: "TOO_SHORT",
  minimum: "OUT_OF_RANGE",
  maximum: "OUT_OF_RANGE",
  enum: "UNKNOWN_VALUE",
  uniqueItems: "DUPLICATE",
};

const formats: Record<string, string> = {
  "idn-email": "Must be an e-mail address.",
  "idn-hostname": "Must be a domain, for example example.com.",
  iri: "Must be an absolute URL.",
  date: "Must be a date, e.g. 2026-01-31.",
  "date-time": "Must be a time with a time zone, e.g. 2026-01-31T12:00:00Z.",
};

function fieldError(error: ErrorObject): FieldError {
  const missing = error.keyword === "required" ? `/${pointerToken(String(error.params["missingProperty"]))}` : "";
  return {
    pointer: `${error.instancePath}${missing}`,
    code: codes[error.keyword] ?? "FORMAT",
    detail: missing === "" ? sentence(error) : "This member is required.",
  };
}

function sentence({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === "type") return `Must be of type ${[params["type"]].flat().join(" or ")}.`;
  if (keyword === "enum") {
    const allowedValues = (params["allowedValues"] as (string | null)[]).filter((value) => value !== null);
    return `Must be one of ${allowedValues.join(", ")}.`;
  }
  if (keyword === "pattern" && params["pattern"] === "\\S") return "Must not be blank.";
  const meaning: unknown = parentSchema?.["description"];
  if (keyword === "pattern" && typeof meaning === "string")
    return `The value does not match the description of this member: ${meaning}`;
  if (keyword === "format") return formats[String(params["format"])] ?? "The value has the wrong format.";
  return `The value ${message ?? "is not accepted"}.`;
}
