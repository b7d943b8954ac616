import { readFileSync } from "node:fs";
import { describedApi } from "@factory/rest-facade/described-api";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

interface Media {
  readonly schema?: { readonly $ref?: string };
  readonly example?: unknown;
  readonly examples?: { readonly example: { readonly $ref: string } };
}

interface Body {
  readonly $ref?: string;
  readonly content?: Record<string, Media>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: Body;
  readonly responses: Record<string, Body>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    examples: Record<string, { value: object }>;
    responses: Record<string, Body>;
    schemas: Record<string, { properties?: object }>;
  };
}

const sdl = readFileSync(new URL("../../schema/supergraph.graphql", import.meta.url), "utf8");
const document = JSON.parse(JSON.stringify(describedApi(sdl))) as Document;

/** A place in the document that needs an example. `schema` is the pointer to its schema. */
interface Place {
  readonly at: string;
  readonly schema: string;
  readonly example: unknown;
}

const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
/** The types of pages and files, which have no example. */
const withoutExample = /^(text\/html|text\/csv|application\/pdf|.*spreadsheetml.*)$/;

const places: Place[] = [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody, responses }]) => {
      const at = `paths/${escaped(path)}/${method}`;
      return [
        ...parameters.map(({ name, example }, index) => ({
          ...{ at: `${method} ${path} ${name}`, example },
          schema: `${at}/parameters/${index}/schema`,
        })),
        ...placesOf(`${at}/requestBody`, requestBody),
        ...Object.entries(responses).flatMap(([status, answer]) => placesOf(`${at}/responses/${status}`, answer)),
      ];
    }),
  ),
  ...Object.entries(document.components.responses).flatMap(([name, answer]) =>
    placesOf(`components/responses/${name}`, answer),
  ),
];

function placesOf(at: string, body: Body | undefined): Place[] {
  return Object.entries(body?.content ?? {})
    .filter(([type]) => !withoutExample.test(type))
    .map(([type, { example, examples }]) => {
      const name = examples?.example.$ref.split("/").at(-1) ?? "";
      return {
        ...{ at: `${at} ${type}`, schema: `${at}/content/${escaped(type)}/schema` },
        example: example ?? document.components.examples[name]?.value,
      };
    });
}

describe("the examples of the OpenAPI document", () => {
  it("stand with each parameter, each body and each answer that is no page or file", () => {
    expect(places.length).toBeGreaterThan(500);
    expect(places.filter(({ example }) => example === undefined).map(({ at }) => at)).toEqual([]);
  });

  it("are valid by the schema where they stand", () => {
    const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
    addFormats.default(ajv);
    for (const format of ["idn-email", "idn-hostname", "iri"]) ajv.addFormat(format, true);
    ajv.addSchema(document, "openapi");
    const faults = places.flatMap(({ at, schema, example }) => {
      const validate = ajv.getSchema(`openapi#/${encodeURI(schema)}`) as ValidateFunction;
      return validate(example) ? [] : [[at, ajv.errorsText(validate.errors)]];
    });
    expect(faults).toEqual([]);
  });

  it("have only members that the request has", () => {
    const { schemas, examples } = document.components;
    const bodies = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {})),
    );
    const unknown = bodies.flatMap(({ schema, examples: references }) => {
      const name = references?.example.$ref.split("/").at(-1) ?? "";
      const { properties = {} } = schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? {};
      return Object.keys(examples[name]?.value ?? {})
        .filter((member) => !Object.hasOwn(properties, member))
        .map((member) => `${name} ${member}`);
    });
    expect(unknown).toEqual([]);
  });
});
