import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { assetFrameworks } from "./asset-frameworks.js";

function read(...paths: string[]) {
  const problems = new InputProblems("LIBRARY_PACKAGE_INVALID");
  const frameworks = assetFrameworks(paths, problems);
  problems.refuse();
  return frameworks;
}

describe("the frameworks of a package", () => {
  it.each<[string, string[], string[]]>([
    ["assemblies", ["lib/net8.0/A.dll", "lib/netstandard2.0/A.dll", "lib/net8.0/A.xml"], ["net8.0", "netstandard2.0"]],
    ["cultures", ["lib/net8.0/de/A.resources.dll"], ["net8.0"]],
    ["folders in any case", ["LIB/Net8.0/A.dll", "Ref/NET6.0/A.dll"], ["net8.0", "net6.0"]],
    ["empty folders", ["lib/net8.0/_._"], ["net8.0"]],
    ["platforms", ["lib/net8.0-android34.0/A.dll"], ["net8.0-android34.0"]],
    ["long names", ["lib/.NETFramework,Version=v4.7.2/A.dll"], ["net472"]],
    ["numbers alone", ["lib/20/A.dll", "lib/4.0/A.dll"], ["net20", "net40"]],
    ["names without a dot", ["lib/net472/A.dll", "lib/net60/A.dll"], ["net472", "net6.0"]],
    ["references", ["ref/netstandard2.0/A.dll"], ["netstandard2.0"]],
    ["runtimes", ["runtimes/win-x64/lib/net6.0/A.dll", "runtimes/win-x64/native/a.dll"], ["net6.0"]],
    ["build files", ["build/net6.0/A.targets", "buildTransitive/net8.0/A.props"], ["net6.0", "net8.0"]],
    ["build files for all, and folders of their own", ["build/A.props", "build/assets/x.txt"], []],
    ["folders for any framework", ["lib/any/A.dll", "build/any/A.props"], ["dotnet"]],
    ["assemblies without a framework", ["lib/A.dll", "lib/readme.txt"], ["net"]],
    ["portable profiles", ["lib/portable-net45+win8/A.dll"], ["portable-net45+win8"]],
    ["nothing but tools, analyzers and texts", ["tools/net8.0/x.dll", "analyzers/dotnet/cs/A.dll", "a.md"], []],
    ["native files", ["runtimes/linux-x64/native/liba.so"], []],
  ])("are read from %s", (_, paths, frameworks) => {
    expect(read(...paths)).toEqual({ frameworks, warnings: [] });
  });

  it.each(["lib/gameboy1.0", "ref/x", "runtimes/win/lib/foo", "lib/dotnet8.0", "lib/portable-gameboy+win8"])(
    "are read without %s, which nobody knows, and with a word about it",
    (folder) => {
      expect(read("lib/net8.0/A.dll", `${folder}/A.dll`)).toEqual({
        frameworks: ["net8.0"],
        warnings: [{ code: "FrameworkIgnored", message: expect.stringContaining(folder.split("/").at(-1) ?? "") }],
      });
      expect(() => read(`${folder}/A.dll`)).toThrow(expect.objectContaining({ code: "LIBRARY_PACKAGE_INVALID" }));
    },
  );
});
