import { subgraphNames } from "@factory/schema/subgraph-names";
import { fieldsOf, needsDescription, readSdl, repeatsName } from "./field-descriptions.js";

const placesIn = (sdl: string) => ({
  silent: fieldsOf(sdl).filter((field) => field.description === undefined && needsDescription(field)),
  repeated: fieldsOf(sdl).filter(repeatsName),
});
const places = (fields: readonly { place: string }[]) => fields.map(({ place }) => place);

describe.each(subgraphNames)("the fields of %s", (subgraph) => {
  const { silent, repeated } = placesIn(readSdl(subgraph));

  it("have a description where the name does not say all", () => {
    expect(places(silent)).toEqual([]);
  });

  it("have no description that repeats the name", () => {
    expect(places(repeated)).toEqual([]);
  });
});

describe("the rules of descriptions", () => {
  it("find a silent null, list, number and JSON value, and leave out what is always there", () => {
    const sdl = `
      type Note { text: String! size: Int! tags: [String!]! data: JSON! end: String "Described." kind: String author: Int! }
      input NoteInput { text: String tags: [String!] size: Int }
      type NoteEdge { node: Note } type Query { note: Note }`;
    expect(places(placesIn(sdl).silent)).toEqual([
      ...["Note.size", "Note.tags", "Note.data", "Note.end", "Note.author"],
      ...["NoteInput.tags", "NoteInput.size"],
    ]);
  });

  it("find a description that says what the names say", () => {
    const sdl = `
      type WebhookMessage {
        "The status of the webhook message." status: String!
        "Message IDs" messageIds: [ID!]!
        "The newest messages first." messages: [ID!]!
      }`;
    expect(places(placesIn(sdl).repeated)).toEqual(["WebhookMessage.status", "WebhookMessage.messageIds"]);
  });
});
