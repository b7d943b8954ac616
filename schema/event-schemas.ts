import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type CommandType, commandTypes } from "./command-names.js";
import { type EventType, eventTypes } from "./event-names.js";
import { vendorEventTypes } from "./vendor-event-types.js";

/** A JSON Schema (draft 2020-12), with the keywords that the schemas in this folder use. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
}

/** A JSON Schema that stands in a file, so that it has a description. */
export type DescribedSchema = JsonSchema & { readonly description: string };

const suffix = ".schema.json";

function schemasIn(folder: string): Map<string, DescribedSchema> {
  const files = readdirSync(folder).filter((file) => file.endsWith(suffix));
  return new Map(
    files.map((file) => [
      file.slice(0, -suffix.length),
      JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as DescribedSchema,
    ]),
  );
}

const folderOf = (file: string) => dirname(fileURLToPath(import.meta.resolve(file)));
const ofEvents = schemasIn(folderOf("@factory/schema/events/envelope.schema.json"));
const ofCommands = schemasIn(folderOf("@factory/schema/commands/PublishTemplateVersion.schema.json"));
const ofVendors: ReadonlySet<string> = new Set(vendorEventTypes);

/** The name of an event type's schema. All vendors' events have the schema for VendorEventReceived. */
export const schemaNameOf = (type: EventType): string => (ofVendors.has(type) ? "VendorEventReceived" : type);

/** The envelope schema, which holds for every event and command. */
export const envelopeSchema = ofEvents.get("envelope") as DescribedSchema;

/** The `data` schema for each event type that this release emits, in the same order as `eventTypes`. */
export const eventSchemas: ReadonlyMap<EventType, DescribedSchema> = collectSchemas(
  Object.keys(eventTypes) as EventType[],
  (type) => ofEvents.get(schemaNameOf(type)),
);

/** The `data` schema for each command. */
export const commandSchemas: ReadonlyMap<CommandType, DescribedSchema> = collectSchemas(
  Object.keys(commandTypes) as CommandType[],
  (type) => ofCommands.get(type),
);

function collectSchemas<Type>(types: readonly Type[], schemaOf: (type: Type) => DescribedSchema | undefined) {
  return new Map(
    types.flatMap((type) => {
      const schema = schemaOf(type);
      return schema ? [[type, schema] as const] : [];
    }),
  );
}

/** An event type's meaning, as a sentence. */
export function eventDescription(type: EventType): string {
  return ofVendors.has(type)
    ? `A vendor has sent a delivery that means ${type}. The data is that of VendorEventReceived.`
    : (eventSchemas.get(type)?.description ?? "");
}

/** The path to the public document with an event type's schema. */
export const schemaPathOf = (type: EventType): string => `/schemas/events/${schemaNameOf(type)}`;
