import { loggedError } from "./logger.js";

describe("a logged error", () => {
  it("holds no connection that hangs on it", () => {
    const client = { secretKey: 1 };
    const connectionLoss = Object.assign(new Error("terminating connection"), { code: "57P01", client });
    expect(loggedError(connectionLoss)).toMatchObject({
      type: "Error",
      message: "terminating connection",
      code: "57P01",
    });
    const spread = { message: "from a library", client };
    expect(loggedError(spread)).toMatchObject({ message: "from a library" });
    for (const error of [connectionLoss, spread]) expect(JSON.stringify(loggedError(error))).not.toContain("client");
  });

  it("keeps cause and stack, and what is not an error", () => {
    const error = new Error("outer", { cause: new Error("inner") });
    expect(loggedError(error)).toMatchObject({ message: "outer: inner", stack: expect.stringContaining("caused by") });
    expect(loggedError("text")).toBe("text");
  });
});
