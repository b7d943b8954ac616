import { renderFiles, texts } from "../rendering/template-pack.fixture.js";

const hostFile = ".template.config/dotnetcli.host.json";

describe("names of dotnet new's options", () => {
  const config = {
    symbols: {
      Framework: { type: "parameter", datatype: "text", replaces: "FRAMEWORK", defaultValue: "net8.0" },
      Folder: { type: "parameter", datatype: "text", replaces: "FOLDER", defaultValue: "src" },
      quiet: { type: "parameter", datatype: "text", replaces: "QUIET", defaultValue: "no" },
    },
  };
  const symbolInfo = {
    Framework: { longName: "framework", shortName: "f" },
    Folder: { longName: "framework", shortName: "quiet" },
    quiet: { longName: "", isHidden: "true" },
  };
  const run = (parameters: Record<string, unknown>, host: unknown = { symbolInfo }) =>
    texts(
      renderFiles(
        config,
        { [hostFile]: typeof host === "string" ? host : JSON.stringify(host), "a.txt": "FRAMEWORK FOLDER QUIET" },
        { parameters },
      ),
    )["a.txt"];

  it.each([
    [{ framework: "net9.0" }, "net9.0 src no"],
    [{ f: "net9.0" }, "net9.0 src no"],
    [{ Framework: "net9.0" }, "net9.0 src no"],
    [{ "param:framework": "lib" }, "net8.0 lib no"],
    // a parameter's own name is never another's
    [{ quiet: "yes" }, "net8.0 src yes"],
    [{ "p:quiet": "lib" }, "net8.0 lib no"],
    [{ F: "net9.0" }, "net8.0 src no"],
  ])("%j is read as a parameter", (parameters, result) => {
    expect(run(parameters)).toBe(result);
  });

  it.each([
    { f: "net9.0", Framework: "net9.0" },
    { Framework: "x", f: "x" },
    { f: "x", framework: "x" },
  ])("one parameter is not given twice: %j", (parameters) => {
    expect(() => run(parameters)).toThrow('The parameter "Framework" is given more than once');
  });

  it.each(["{", "[]", '{"symbolInfo": []}', '{"symbolInfo": {"Framework": 1}}', " ".repeat(1024 * 1024 + 1)])(
    "a host file that says nothing is passed over",
    (host) => {
      expect(run({ Framework: "net9.0" }, host)).toBe("net9.0 src no");
    },
  );
});
