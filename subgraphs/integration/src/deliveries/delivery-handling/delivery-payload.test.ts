import { unparsedPayload } from "./delivery-payload.js";

describe("the payload of a delivery", () => {
  it("is not parsed before its value is read, so that one that no event shows costs nothing", () => {
    const payload = unparsedPayload("{é");
    expect(payload.bytes).toBe(3);
    expect(() => payload.value).toThrow(SyntaxError);
  });

  it("keeps its numbers as the vendor has sent them", () => {
    const text = '{"id":820982911946154508,"list":[1e400,-0,1.0,1E5,0.1000000000000000055511151231257827]}';
    expect(JSON.stringify(unparsedPayload(text).value)).toBe(text);
  });

  it("is parsed once", () => {
    const payload = unparsedPayload('{"a":[1]}');
    expect(payload.value).toEqual({ a: [1] });
    expect(payload.value).toBe(payload.value);
  });
});
