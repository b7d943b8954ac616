import { unparsedPayload } from "./delivery-payload.js";

describe("the payload of a delivery", () => {
  it("is not parsed before its value is read, so that one that no event shows costs nothing", () => {
    const broken = unparsedPayload("{é");
    expect(broken.bytes).toBe(3);
    expect(() => broken.value).toThrow(SyntaxError);
  });

  it("is parsed once", () => {
    const payload = unparsedPayload('{"a":[1]}');
    expect(payload.value).toEqual({ a: [1] });
    expect(payload.value).toBe(payload.value);
  });
});
