import { randomUUID } from "node:crypto";
import { RetrievalError, removeUriSchemePlugin } from "@hyperjump/browser";
import {
  InvalidSchemaError,
  type OutputUnit,
  registerSchema,
  setMetaSchemaOutputFormat,
  setShouldValidateFormat,
  unregisterSchema,
  type Validator,
  validate,
} from "@hyperjump/json-schema/draft-2020-12";
import type { EvaluationPlugin } from "@hyperjump/json-schema/experimental";
import { type JsonNode, uri as placeOf } from "@hyperjump/json-schema/instance/experimental";
import "@hyperjump/json-schema/formats";
import { escapePointer, isJsonObject, type JsonObject } from "@factory/template-engine/json-value";
import { PatternTimeLimit, PatternTimeLimitExceeded } from "@factory/template-engine/pattern-time-limit";
import { isDialect, schemaDialect } from "./schema-limits.js";
import { type FaultyReference, SchemaDocument } from "./schema-references.js";

/** Keyword by its name, where in the schema it stands and where in the instance it failed. */
export interface Failure {
  keyword: string;
  /** Pointer into the schema; undefined inside a resource with an `$id` of its own. */
  schemaPointer: string | undefined;
  pointer: string;
}

export interface OfflineSchema {
  /** Empty: the value is valid. */
  failures(value: unknown): Failure[];
}

/** The schema itself is at fault. `pointer` is a pointer into it. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";

  constructor(
    readonly reason: "NotValid" | "RemoteRef" | "TooSlow",
    message: string,
    readonly pointer = "",
  ) {
    super(message);
  }
}

/** Checking a value was ended while it was at this keyword. */
export class SlowSchemaError extends SchemaError {
  readonly keyword: string;
  /** Into the value that was checked. */
  readonly valuePointer: string;

  constructor({ keyword, schemaPointer, pointer }: Failure, { message }: PatternTimeLimitExceeded) {
    const where = schemaPointer ?? "a place inside an $id of its own";
    super("TooSlow", `The check by "${keyword}" at ${where} of the schema was ended: ${message}.`, schemaPointer);
    this.keyword = keyword;
    this.valuePointer = pointer;
  }
}

// the library fetches what a $ref names; a template's schema must never make us connect or read a file
for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat("BASIC");
setShouldValidateFormat(true);

/** Compiles once for all: a schema of a template must not be what the meta-schema is first compiled from. */
let metaSchemaReady: Promise<unknown> | undefined;

/** Prepares a JSON Schema 2020-12. Its registration ends before this returns; checking a value counts as one evaluation. */
export async function compileOffline(schema: JsonObject, timeLimit = new PatternTimeLimit()): Promise<OfflineSchema> {
  refuseForeignDialects(schema, "");
  metaSchemaReady ??= validate(schemaDialect);
  await metaSchemaReady;
  const uri = `tag:parameter-schema,2024:${randomUUID()}`;
  const rootUri = typeof schema["$id"] === "string" ? schema["$id"] : uri;
  let validator: Validator;
  try {
    registerSchema({ ...schema, $schema: schemaDialect } as Parameters<typeof registerSchema>[0], uri);
    validator = await validate(uri);
  } catch (error) {
    throw schemaError(error, schema);
  } finally {
    unregisterSchema(uri);
  }
  const places = { uri, rootUri };
  return {
    failures(value) {
      const trace = new KeywordTrace();
      const options = { outputFormat: "BASIC" as const, plugins: [trace] };
      try {
        const output = timeLimit.run(() => validator(value as Parameters<Validator>[0], options));
        return output.valid ? [] : (output.errors ?? []).map((unit) => failureOf(unit, places));
      } catch (error) {
        if (error instanceof PatternTimeLimitExceeded)
          throw new SlowSchemaError(failureOf(trace.innermost(), places), error);
        throw schemaError(error, schema);
      }
    },
  };
}

type FailedUnit = Pick<OutputUnit, "keyword" | "absoluteKeywordLocation" | "instanceLocation">;

/** Knows which keyword is being evaluated when the evaluation is ended. */
class KeywordTrace implements EvaluationPlugin {
  readonly #open: { keyword: string; absoluteKeywordLocation: string; instance: JsonNode }[] = [];

  beforeKeyword([keyword, absoluteKeywordLocation]: [string, string, unknown], instance: JsonNode): void {
    this.#open.push({ keyword, absoluteKeywordLocation, instance });
  }

  afterKeyword(): void {
    this.#open.pop();
  }

  innermost(): FailedUnit {
    const at = this.#open.at(-1);
    if (!at) return { keyword: "", absoluteKeywordLocation: "", instanceLocation: "" };
    return { ...at, instanceLocation: placeOf(at.instance) };
  }
}

function failureOf(unit: FailedUnit, { uri, rootUri }: { uri: string; rootUri: string }): Failure {
  const [base = "", fragment = ""] = unit.absoluteKeywordLocation.split("#");
  const own = base === uri || base === rootUri.split("#")[0];
  return {
    keyword: unit.keyword.slice(unit.keyword.lastIndexOf("/") + 1),
    schemaPointer: own ? decoded(fragment) : undefined,
    pointer: decoded(unit.instanceLocation.slice(unit.instanceLocation.indexOf("#") + 1)),
  };
}

function decoded(fragment: string): string {
  try {
    return decodeURI(fragment);
  } catch {
    return fragment;
  }
}

/** Vocabularies and dialects are registered process-wide by the library, so a template may bring none. */
function refuseForeignDialects(value: unknown, pointer: string): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseForeignDialects(item, `${pointer}/${index}`);
    });
  }
  if (!isJsonObject(value)) return;
  if ("$vocabulary" in value)
    throw new SchemaError("NotValid", "$vocabulary is not supported.", `${pointer}/$vocabulary`);
  const { $schema, $id } = value;
  if (typeof $schema === "string" && !isDialect($schema))
    throw new SchemaError("NotValid", `The $schema is not ${schemaDialect}.`, `${pointer}/$schema`);
  if (typeof $id === "string" && /^(?:file:|https?:\/\/json-schema\.org(?:[/#]|$))/i.test($id))
    throw new SchemaError("NotValid", "The $id is reserved.", `${pointer}/$id`);
  for (const [key, child] of Object.entries(value)) refuseForeignDialects(child, `${pointer}/${escapePointer(key)}`);
}

function schemaError(error: unknown, schema: JsonObject): unknown {
  if (error instanceof InvalidSchemaError) {
    const [first] = ("errors" in error.output ? error.output.errors : undefined) ?? [];
    const pointer = decoded(first?.instanceLocation.split("#")[1] ?? "");
    const keyword = first?.keyword.slice(first.keyword.lastIndexOf("/") + 1) ?? "";
    return new SchemaError("NotValid", `The value breaks the rule "${keyword}" of JSON Schema 2020-12.`, pointer);
  }
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError)
    return new SchemaError("NotValid", "A reference of the schema leads back to itself.");
  if (error instanceof SyntaxError)
    return new SchemaError("NotValid", "A pattern of the schema is not a valid regular expression.");
  const reason = error instanceof RetrievalError ? "RemoteRef" : "NotValid";
  return referenceError({ reason, pointer: new SchemaDocument(schema).faultyReference()?.pointer ?? "" });
}

export function referenceError({ reason, pointer }: FaultyReference): SchemaError {
  const message =
    reason === "RemoteRef"
      ? "A $ref leaves the schema; only references inside it are followed."
      : "A reference of the schema leads nowhere.";
  return new SchemaError(reason, message, pointer);
}
