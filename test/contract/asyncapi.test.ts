import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";
import { commandTypes } from "@factory/schema/command-names";
import { eventSchemas } from "@factory/schema/event-schemas";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { getNamedType, isCompositeType, isObjectType, parse, validate } from "graphql";
import { request } from "../kit/request.js";
import { committedGraph } from "../kit/routes.js";

interface Message {
  headers: object;
  payload: { properties: Record<string, { properties: Record<string, unknown> }> };
  examples?: { headers: object; payload: { payload: { query: string } } }[];
  traits?: object[];
}

interface Described {
  channels: Record<string, { messages: Record<string, unknown> }>;
  components: { messages: Record<string, Message>; messageTraits: Record<string, { headers: object }> };
}

let text: string;
let document: Described;

beforeAll(async () => {
  const answer = await request<Described>("GET /asyncapi.json");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  [text, document] = [answer.text, answer.body];
});

const namesIn = (channel: string) => Object.keys(document.channels[channel]?.messages ?? {});

describe("GET /asyncapi.json", () => {
  it("is valid by the rules of AsyncAPI 3", async () => {
    const diagnostics = await new Parser().validate(text);
    const problems = diagnostics.filter(({ severity }) => severity < 2);
    expect(problems.map(({ code, message, path }) => [code, message, path.join(".")])).toEqual([]);
  });

  it("has every event of this release for webhooks, and every command of the bus", () => {
    expect(namesIn("webhooks")).toEqual([...eventSchemas.keys()]);
    expect(namesIn("commands")).toEqual(Object.keys(commandTypes));
    const catalogue = readFileSync(new URL("../../schema/events/catalogue.md", import.meta.url), "utf8");
    const eventTypes = [...catalogue.matchAll(/^\| ([A-Z]\w+) \| [a-z]+ \| .+ \|$/gm)].map(([, type]) => type);
    expect(namesIn("webhooks")).toEqual(expect.arrayContaining(eventTypes));
  });

  it("has examples that are valid for the attributes, the headers and the payload of their message", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ components: document.components }, "asyncapi");
    const validator = (pointer: string) => ajv.getSchema(`asyncapi#${pointer}`);
    for (const name of [...namesIn("webhooks"), ...namesIn("commands")]) {
      const [example] = document.components.messages[name]?.examples ?? [];
      const place = `/components/messages/${name}`;
      for (const [pointer, value] of [
        ["/components/messageTraits/cloudEvent/headers", example?.headers],
        [`${place}/headers`, example?.headers],
        [`${place}/payload`, example?.payload],
      ] as const) {
        const validate = validator(pointer);
        expect([name, pointer, validate?.(value), validate?.errors]).toEqual([name, pointer, true, null]);
      }
    }
  });

  it("shows a subscription that the graph accepts, with all fields of an event that have no type of their own", () => {
    const query = document.components.messages["subscribe"]?.examples?.[0]?.payload.payload.query ?? "";
    const graph = committedGraph();
    expect(validate(graph, parse(query))).toEqual([]);
    const type = graph.getType("PlatformEvent");
    const fields = Object.values(isObjectType(type) ? type.getFields() : {})
      .filter((field) => !isCompositeType(getNamedType(field.type)))
      .map(({ name }) => name);
    const payload = document.components.messages["next"]?.payload.properties["payload"]?.properties as
      | { data: { properties: { events: { properties: Record<string, unknown> } } } }
      | undefined;
    expect(Object.keys(payload?.data.properties.events.properties ?? {}).sort()).toEqual(fields.sort());
    for (const field of fields) expect(query).toContain(` ${field} `);
  });
});
