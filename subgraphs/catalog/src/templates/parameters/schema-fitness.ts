import type { JsonObject } from "@factory/template-engine/json-value";
import { compileOffline, referenceError, SchemaError } from "./offline-schema.js";
import { SchemaDocument } from "./schema-references.js";

/** The reason why a schema cannot check any parameters. */
export interface SchemaFault {
  /** JSON pointer into the schema. */
  readonly pointer: string;
  readonly detail: string;
}

/** Checks that the schema is valid and all its references stay inside it. Compiles it: call it under a time limit. */
export async function schemaFault(schema: JsonObject): Promise<SchemaFault | undefined> {
  try {
    // compiling does not look at references in parts that nothing uses
    const faulty = new SchemaDocument(schema).faultyReference();
    if (faulty?.reason === "RemoteRef") throw referenceError(faulty);
    const validator = await compileOffline(schema);
    if (faulty) throw referenceError(faulty);
    // a reference that leads back to itself is found only by checking a value
    validator.failures({});
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { pointer: error.pointer, detail: error.message };
  }
}
