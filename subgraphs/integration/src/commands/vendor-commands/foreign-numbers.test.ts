import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { answerValue } from "./answer-value.js";
import { formOf, renderedTemplate } from "./rendered-template.js";

const numbers = "[820982911946154508,1e400,-0,1.0,1E5,0.1000000000000000055511151231257827]";

describe("numbers of vendors", () => {
  it("are all digits of the id in an answer", () => {
    const answer = { headers: {}, body: Buffer.from('{"charge":{"id":820982911946154508}}'), truncated: false };
    expect(answerValue(answer, "body:/charge/id")).toBe("820982911946154508");
  });

  it("stand in a request as the template has them, as JSON and as a form", () => {
    const body = renderedTemplate({ numbers: parseForeignJson(numbers), to: { $value: "/to" } }, { to: "ada" });
    expect(JSON.stringify(body)).toBe(`{"numbers":${numbers},"to":"ada"}`);
    expect(formOf({ big: parseForeignJson("1e400"), list: [parseForeignJson("1.0")] })).toBe(
      "big=1e400&list%5B0%5D=1.0",
    );
  });
});
