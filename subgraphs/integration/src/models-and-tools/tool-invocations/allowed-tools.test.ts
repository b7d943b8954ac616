import { isAllowedTool } from "./allowed-tools.js";

describe("the tools that a connection allows", () => {
  it.each([
    [{}, "echo", true],
    [{ allowedTools: "" }, "echo", false],
    [{ allowedTools: "echo, get-sum" }, "get-sum", true],
    [{ allowedTools: "echo, get-sum" }, "get-su", false],
    [{ allowedTools: "echo" }, "Echo", false],
    [{ allowedTools: "read_*" }, "read_file", true],
    [{ allowedTools: "read_*" }, "write_file", false],
    [{ allowedTools: "a.b" }, "axb", false],
    [{ allowedTools: "*" }, "anything", true],
    [{ allowedTools: " , ," }, "", false],
  ])("with %j: %s is %s", (configuration, name, verdict) => {
    expect(isAllowedTool(configuration as Record<string, string>, name)).toBe(verdict);
  });
});
