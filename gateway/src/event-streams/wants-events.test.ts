import { wantsEvents } from "./wants-events.js";

describe("an event stream", () => {
  it.each([
    "text/event-stream",
    "Text/Event-Stream",
    "text/event-stream, multipart/mixed",
    "text/event-stream, application/json",
    "text/event-stream, */*",
    "*/*, text/event-stream",
    "application/json;q=0.5, text/event-stream",
  ])("is wanted by Accept: %s", (accept) => {
    expect(wantsEvents(accept)).toBe(true);
  });

  it.each([
    undefined,
    "",
    "*/*",
    "text/*",
    "application/json",
    "application/json, text/event-stream",
    "text/event-stream;q=0",
    "text/event-stream;q=0.5, application/json",
    // urql, for a query
    "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed",
  ])("is not wanted by Accept: %s", (accept) => {
    expect(wantsEvents(accept)).toBe(false);
  });
});
