import { comments, Notebook, notes } from "../execution/notes.fixture.js";
import { judgeSupergraph } from "./judge-supergraph.js";

const connectedSdls = { notes, comments };
const { supergraphSdl } = new Notebook();

const problemsAfter = (change: (sdl: string) => string) =>
  judgeSupergraph({ candidate: { supergraphSdl: change(supergraphSdl) }, connected: connectedSdls }).problems;

/** The same text with what a subgraph tells about itself. */
const judgedWith = (ownSdls: Partial<Record<"notes" | "comments", string>>) =>
  judgeSupergraph({ candidate: { supergraphSdl }, connected: { ...connectedSdls, ...ownSdls } }).problems;

describe("a supergraph that serves", () => {
  it("is one whose subgraphs have all that it asks for", () => {
    expect(judgeSupergraph({ candidate: { supergraphSdl }, connected: connectedSdls })).toEqual({ supergraphSdl });
  });

  it("may leave out what a subgraph offers", () => {
    expect(judgedWith({ comments: comments.replace("owner: String", "owner: String likes(first: Int): Int") })).toBe(
      undefined,
    );
  });

  it("is composed from the SDL of its subgraphs", () => {
    const subgraphSdls = { notes, comments: comments.replace("owner: String", "") };
    const verdict = judgeSupergraph({ candidate: { subgraphSdls }, connected: connectedSdls });
    expect(verdict.problems).toBeUndefined();
    expect("supergraphSdl" in verdict && verdict.supergraphSdl).not.toContain("owner");
  });
});

describe("a supergraph that is refused", () => {
  it.each([
    ["is not GraphQL", () => "type Query {", "Syntax Error"],
    ["is not a supergraph", () => "type Query { a: Int }", "must be a core schema"],
    [
      "has a field that no subgraph can reach",
      (sdl: string) => sdl.replace(/@join__type\(graph: COMMENTS, key: "id"\)/, "@join__type(graph: COMMENTS)"),
      "cannot be satisfied",
    ],
    [
      "has a field that its subgraph lacks",
      (sdl: string) => sdl.replace("text: String!", "extra: Int @join__field(graph: NOTES) text: String!"),
      'The subgraph "notes" has no field "Note.extra".',
    ],
    [
      "says another type than its subgraph",
      (sdl: string) => sdl.replace("comment: String", "comment: Int"),
      'The subgraph "comments" has "Note.comment" of type String, but the supergraph gives it the type Int.',
    ],
    [
      "names a subgraph that is not connected",
      (sdl: string) => sdl.replace('name: "notes"', 'name: "papers"'),
      'The subgraph "papers" is not connected to this gateway.',
    ],
  ])("%s", (_, change, problem) => {
    expect(problemsAfter(change)?.join("\n")).toContain(problem);
  });

  it.each([
    [
      "a key that its subgraph cannot resolve",
      { comments: comments.replace('fields: "id"', 'fields: "text"').replace("id: ID!", "id: ID! text: String") },
      'cannot resolve "Note" by the key "id"',
    ],
    [
      "a type that its subgraph lacks",
      { notes: notes.replaceAll("Note ", "Paper ").replaceAll("Note!", "Paper!").replace("note: Note", "note: Paper") },
      'has no object "Note"',
    ],
    [
      "no argument that its subgraph requires",
      { notes: notes.replace("note: Note", "note(id: ID!): Note") },
      'requires the argument "Query.note(id:)"',
    ],
  ])("asks for %s", (_, ownSdls, problem) => {
    expect(judgedWith(ownSdls)?.join("\n")).toContain(problem);
  });

  it("is composed from subgraphs that contradict each other", () => {
    const subgraphSdls = { notes, comments: comments.replace("id: ID!", "id: Int!") };
    expect(judgeSupergraph({ candidate: { subgraphSdls }, connected: connectedSdls }).problems?.join()).toContain(
      "Note.id",
    );
  });
});
