import { formOf, renderedTemplate } from "./rendered-template.js";

const command = {
  commandId: "cmd_1",
  to: ["a@b.example", "c@d.example"],
  subject: '"}, "evil": {"$value": "/commandId"}, "x": "',
  html: null,
  text: "{{text}} &a=b",
  amount: 12.5,
  nested: { "a/b": [true] },
};

const render = (body: Record<string, unknown>) => renderedTemplate(body, command);

describe("a rendered template", () => {
  it("has values of the command as values, whatever they contain", () => {
    expect(render({ a: { $value: "/subject" }, b: { $value: "/amount" }, c: { $value: "/nested/a~1b/0" } })).toEqual({
      a: command.subject,
      b: 12.5,
      c: true,
    });
    expect(JSON.parse(JSON.stringify(render({ a: { $value: "/subject" } })))).toEqual({ a: command.subject });
  });

  it("has an item for each item of a list", () => {
    const people = { $each: "/to", $as: { email: { $item: "" }, of: { $value: "/commandId" } } };
    expect(render({ people })).toEqual({
      people: command.to.map((email) => ({ email, of: "cmd_1" })),
    });
  });

  it("leaves out what the command has not", () => {
    const content = [
      { $when: "/text", $then: { type: "text", value: { $value: "/text" } } },
      { $when: "/html", $then: { type: "html", value: { $value: "/html" } } },
    ];
    expect(render({ content, cc: { $each: "/cc", $as: {} }, from: { $value: "/constructor" } })).toEqual({
      content: [{ type: "text", value: command.text }],
    });
  });

  it("is refused when lists in lists make it too large", () => {
    const many = { list: Array.from({ length: 1000 }, (_, at) => at) };
    const inner = { $each: "/list", $as: { $item: "" } };
    expect(() => renderedTemplate({ all: { $each: "/list", $as: inner } }, many)).toThrow("too large");
    expect(() => renderedTemplate({ all: [{ $value: "/text" }] }, { text: "x".repeat(1_048_576) })).toThrow(
      "too large",
    );
  });

  it("becomes a form whose names and values are encoded", () => {
    const form = formOf(render({ To: { $value: "/to/0" }, metadata: { "a&b": { $value: "/text" } }, list: [1, true] }));
    expect(form).toBe("To=a%40b.example&metadata%5Ba%26b%5D=%7B%7Btext%7D%7D+%26a%3Db&list%5B0%5D=1&list%5B1%5D=true");
  });
});
