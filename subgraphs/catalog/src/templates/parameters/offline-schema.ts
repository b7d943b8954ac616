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

/** A keyword that a value does not satisfy: its name, its place in the schema and the place in the value. */
export interface Failure {
  keyword: string;
  /** JSON pointer into the schema; undefined inside a resource with its own `$id`. */
  schemaPointer: string | undefined;
  pointer: string;
}

/** A compiled schema that fetches nothing. */
export interface OfflineSchema {
  /** All failures for a value; empty when the value is valid. Throws a SchemaError for a faulty schema. */
  failures(value: unknown): Failure[];
}

/** A fault in the schema itself. `pointer` is a JSON pointer into the schema. */
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

/** The check exceeded its time limit at this keyword. */
export class SlowSchemaError extends SchemaError {
  readonly keyword: string;
  /** JSON pointer into the value that was checked. */
  readonly valuePointer: string;

  constructor({ keyword, schemaPointer, pointer }: Failure, { message }: PatternTimeLimitExceeded) {
    const where = schemaPointer ?? "a part with its own $id";
    super(
      "TooSlow",
      `The check of the keyword "${keyword}" at ${where} of the schema was ended: ${message}.`,
      schemaPointer,
    );
    this.keyword = keyword;
    this.valuePointer = pointer;
  }
}

// the library fetches a $ref's target; a template's schema must never open a connection or a file
for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat("BASIC");
setShouldValidateFormat(true);

/** Compiles the meta-schema once, before the library can compile it for a template's schema. */
let metaSchemaReady: Promise<unknown> | undefined;

/** Compiles a JSON Schema 2020-12. The schema is unregistered from the library before this returns. */
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

/** Records the keyword that is evaluated, for an evaluation that exceeds its time limit. */
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
  const isLocal = base === uri || base === rootUri.split("#")[0];
  return {
    keyword: unit.keyword.slice(unit.keyword.lastIndexOf("/") + 1),
    schemaPointer: isLocal ? decoded(fragment) : undefined,
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

/** The library registers vocabularies and dialects for the whole process, so a template may not define any. */
function refuseForeignDialects(value: unknown, pointer: string): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseForeignDialects(item, `${pointer}/${index}`);
    });
  }
  if (!isJsonObject(value)) return;
  if ("$vocabulary" in value)
    throw new SchemaError("NotValid", "The keyword $vocabulary is not supported. Remove it.", `${pointer}/$vocabulary`);
  const { $schema, $id } = value;
  if (typeof $schema === "string" && !isDialect($schema))
    throw new SchemaError("NotValid", `The $schema must be ${schemaDialect}.`, `${pointer}/$schema`);
  if (typeof $id === "string" && /^(?:file:|https?:\/\/json-schema\.org(?:[/#]|$))/i.test($id))
    throw new SchemaError("NotValid", "The $id is reserved. Use another URI.", `${pointer}/$id`);
  for (const [key, child] of Object.entries(value)) refuseForeignDialects(child, `${pointer}/${escapePointer(key)}`);
}

function schemaError(error: unknown, schema: JsonObject): unknown {
  if (error instanceof InvalidSchemaError) {
    const [first] = ("errors" in error.output ? error.output.errors : undefined) ?? [];
    const pointer = decoded(first?.instanceLocation.split("#")[1] ?? "");
    const keyword = first?.keyword.slice(first.keyword.lastIndexOf("/") + 1) ?? "";
    return new SchemaError(
      "NotValid",
      `The value violates the keyword "${keyword}" of the JSON Schema 2020-12 meta-schema.`,
      pointer,
    );
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
      ? "A $ref leaves the schema. Only references inside the schema are followed."
      : "A reference of the schema names a part that does not exist.";
  return new SchemaError(reason, message, pointer);
}
