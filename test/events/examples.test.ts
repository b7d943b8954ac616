import { canonicalTexts } from "@factory/runtime/input-validation/canonical-form";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { commandSchemas, envelopeSchema, eventSchemas } from "@factory/schema/event-schemas";
import { exampleCommand, exampleEvent, exampleWebhookBody } from "@factory/schema/example-message";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, addUsedSchema: false });
addFormats.default(ajv);
for (const [name, form] of Object.entries(canonicalTexts))
  ajv.addFormat(name, (text: string) => form(text) !== undefined);

/** A message's errors, by its type's schema and by the envelope's. */
function errorsOf(schema: object, message: { data: unknown } | undefined): unknown[] {
  const valid = [ajv.compile(schema), ajv.compile(envelopeSchema)] as const;
  return valid[0](message?.data) && valid[1](message) ? [] : [valid[0].errors, valid[1].errors, message];
}

describe("the examples", () => {
  it("of events are valid, on the bus and as the body of a webhook", () => {
    for (const [type, schema] of eventSchemas) {
      expect([type, errorsOf(schema, exampleEvent(type))]).toEqual([type, []]);
      expect([type, errorsOf(schema, exampleWebhookBody(type) as { data: unknown })]).toEqual([type, []]);
      expect(exampleEvent(type)).toMatchObject({
        type,
        source: expect.stringMatching(/^\/(catalog|integration|spine)$/),
      });
    }
  });

  it("that a tenant sends to itself are valid with the mark of a test, which has one value only", () => {
    const body = exampleWebhookBody("TemplateRegistered");
    const valid = ajv.compile(envelopeSchema);
    expect([valid({ ...body, sequence: "0", test: true }), valid.errors]).toEqual([true, null]);
    expect(valid({ ...body, test: false })).toBe(false);
  });

  it("of commands are valid, and every command has a schema", () => {
    for (const [type, schema] of commandSchemas)
      expect([type, errorsOf(schema, exampleCommand(type))]).toEqual([type, []]);
    expect([...commandSchemas.keys()]).toEqual(Object.keys(commandTypes) as CommandType[]);
  });
});
