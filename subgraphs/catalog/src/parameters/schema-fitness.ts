import type { JsonObject } from "@factory/template-engine/json-value";
import { compileOffline, referenceError, SchemaError } from "./offline-schema.js";
import { SchemaDocument } from "./schema-references.js";

/** Why no parameters can be checked by a schema. */
export interface SchemaFault {
  /** Into the schema. */
  readonly pointer: string;
  readonly detail: string;
}

/** Undefined: the schema is one, and every reference of it is followed inside it. Compiles it: call it under a time limit. */
export async function schemaFault(schema: JsonObject): Promise<SchemaFault | undefined> {
  try {
    // also where nothing leads to it, which compiling does not look at
    const faulty = new SchemaDocument(schema).faultyReference();
    if (faulty?.reason === "RemoteRef") throw referenceError(faulty);
    const compiled = await compileOffline(schema);
    if (faulty) throw referenceError(faulty);
    // references that lead back to themselves are found only while a value is checked
    compiled.failures({});
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { pointer: error.pointer, detail: error.message };
  }
}
