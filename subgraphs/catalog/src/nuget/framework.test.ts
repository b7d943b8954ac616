import { frameworkName, parseFramework } from "./framework.js";

const names: readonly (readonly [text: string, name: string])[] = [
  ["net11", "net11"],
  ["net20", "net20"],
  ["net35", "net35"],
  ["net4", "net40"],
  ["net40", "net40"],
  ["net403", "net403"],
  ["net45", "net45"],
  ["net4.5", "net45"],
  ["net4.5.1", "net451"],
  ["net461", "net461"],
  ["net472", "net472"],
  ["NET472", "net472"],
  ["net48", "net48"],
  ["net481", "net481"],
  ["net40-client", "net40-client"],
  ["net40-full", "net40"],
  ["net35-cf", "net35-compactframework"],
  ["net", "net"],
  ["net5", "net5.0"],
  ["net50", "net5.0"],
  ["net60", "net6.0"],
  ["net5.0", "net5.0"],
  ["net6.0", "net6.0"],
  ["Net8.0", "net8.0"],
  ["net8", "net8.0"],
  ["net10.0", "net10.0"],
  ["net10", "net10"],
  ["net11.0", "net11.0"],
  ["net8.0-windows", "net8.0-windows"],
  ["net8.0-Windows", "net8.0-windows"],
  ["net5.0-windows7.0", "net5.0-windows7.0"],
  ["net5.0-windows7", "net5.0-windows7.0"],
  ["net8.0-windows10.0.19041", "net8.0-windows10.0.19041"],
  ["net8.0-windows10.0.19041.0", "net8.0-windows10.0.19041"],
  ["net6.0-android31.0", "net6.0-android31.0"],
  ["net6.0-android31", "net6.0-android31.0"],
  ["net6.0-ios15.2", "net6.0-ios15.2"],
  ["net7.0-maccatalyst", "net7.0-maccatalyst"],
  ["net7.0-tizen", "net7.0-tizen"],
  ["net8.0-browser", "net8.0-browser"],
  ["netcoreapp", "netcoreapp"],
  ["netcoreapp1.0", "netcoreapp1.0"],
  ["netcoreapp11", "netcoreapp1.1"],
  ["netcoreapp20", "netcoreapp2.0"],
  ["netcoreapp2.1", "netcoreapp2.1"],
  ["netcoreapp3.1", "netcoreapp3.1"],
  ["NetCoreApp3.1", "netcoreapp3.1"],
  ["netcoreapp5.0", "net5.0"],
  ["netcoreapp50", "net5.0"],
  ["netcoreapp8.0", "net8.0"],
  ["netcoreapp5.0-windows", "net5.0-windows"],
  ["netstandard", "netstandard"],
  ["netstandard1.0", "netstandard1.0"],
  ["netstandard10", "netstandard1.0"],
  ["netstandard1.6", "netstandard1.6"],
  ["netstandard2.0", "netstandard2.0"],
  ["netstandard20", "netstandard2.0"],
  ["netstandard2", "netstandard2.0"],
  ["NETStandard2.1", "netstandard2.1"],
  [".NETFramework,Version=v4.7.2", "net472"],
  [".NETFramework,Version=v4.8", "net48"],
  [".NETFramework,Version=v4.0,Profile=Client", "net40-client"],
  [".NETFramework, Version=v4.5", "net45"],
  [".netframework,version=v4.5", "net45"],
  [".NETFramework,Version=4.6.1", "net461"],
  [".NETFramework,Version=v4", "net40"],
  [".NETCoreApp,Version=v2.1", "netcoreapp2.1"],
  [".NETCoreApp,Version=v3.1", "netcoreapp3.1"],
  [".NETCoreApp,Version=v5.0", "net5.0"],
  [".NETCoreApp,Version=v8.0", "net8.0"],
  [".NETCoreApp,Version=v10.0", "net10.0"],
  [".NETStandard,Version=v1.3", "netstandard1.3"],
  [".NETStandard,Version=v2.1", "netstandard2.1"],
  [".NETFramework4.5", "net45"],
  [".NETCoreApp3.1", "netcoreapp3.1"],
  [".NETStandard2.0", "netstandard2.0"],
  ["uap10.0", "uap10.0"],
  ["uap10.0.15064", "uap10.0.15064"],
  ["tizen40", "tizen4.0"],
  ["tizen4.0", "tizen4.0"],
  ["monoandroid", "monoandroid"],
  ["monoandroid10.0", "monoandroid10.0"],
  ["monoandroid90", "monoandroid90"],
  ["xamarinios10", "xamarinios10"],
  ["Xamarin.iOS,Version=v1.0", "xamarinios10"],
];

const refused = [
  "",
  " ",
  "8.0",
  "45",
  "net8.0 ",
  " net8.0",
  "net 8.0",
  "net8,0",
  "net8.x",
  "net8.0.",
  "net.8.0",
  "net8..0",
  "net8.0-",
  "net8.0-7.0",
  "net8.0-windows-7",
  "net8.0-windows7.",
  "net8.0_windows",
  "net1.2.3.4.5",
  "net45-",
  "net45+foo",
  "net99999999999.0",
  "netcoreapp3.1-windows",
  "netstandard2.0-windows",
  "netcore",
  "dotnet",
  "dotnet8.0",
  "foo45",
  "java17",
  "unsupported",
  "portable-net45+win8",
  "net8.0;net9.0",
  "python3.12",
  "☃8.0",
  ".NETCoreApp,Version=v",
  ".NETCoreApp,Version=",
  ".NETCoreApp,Version=eight",
  ".NETCoreApp,Version=v8.0,Version=v9.0",
  ".NETFramework,Version=v8.0",
  "Foo,Version=v1.0",
  ",",
  ",Version=v8.0",
];

describe("framework monikers", () => {
  it.each(names)("reads %s as %s", (text, name) => {
    const framework = parseFramework(text);
    expect(framework && frameworkName(framework)).toBe(name);
  });

  it.each(refused)("does not read %j", (text) => {
    expect(parseFramework(text)).toBeUndefined();
  });

  it.each(names)("names %s so that it reads back the same", (text) => {
    const framework = parseFramework(text);
    expect(framework && parseFramework(frameworkName(framework))).toEqual(framework);
  });

  it("reads a number without a dot digit by digit", () => {
    expect(parseFramework("net10")).toMatchObject({ identifier: ".NETFramework", version: [1, 0, 0, 0] });
    expect(parseFramework("net81233")).toMatchObject({ identifier: ".NETCoreApp", version: [8, 1, 2, 3] });
  });

  it("keeps platform and platform version apart", () => {
    expect(parseFramework("net8.0-iOS17.2")).toEqual({
      identifier: ".NETCoreApp",
      version: [8, 0, 0, 0],
      profile: "",
      platform: "ios",
      platformVersion: [17, 2, 0, 0],
    });
  });
});
