import { DomainError } from "@factory/runtime/errors/domain-error";
import type { TreeFile } from "@factory/template-engine/file-tree";
import { branchFilesToRead, type InjectionContext, injectPackageReferences } from "./inject.js";
import { ScaffoldTexts } from "./scaffold-texts.js";

const utf8 = (text: string): TreeFile => ({ bytes: Buffer.from(text), executable: false });

function tree(files: Record<string, string>): Map<string, TreeFile> {
  return new Map(Object.entries(files).map(([path, text]) => [path, utf8(text)]));
}

const orders = [{ packageName: "Orders.Client", version: "2.1.0" }];

/** Injects into App.csproj and gives its text back. */
function inject(text: string, libraries = orders): string {
  const { files, warnings } = injectPackageReferences(tree({ "App.csproj": text }), libraries, { primaryOutputs: [] });
  expect(warnings).toEqual([]);
  return Buffer.from(files.get("App.csproj")?.bytes ?? []).toString("utf8");
}

function text(files: ReadonlyMap<string, TreeFile>, path: string): string {
  return Buffer.from(files.get(path)?.bytes ?? []).toString("utf8");
}

describe("a project that keeps its own versions", () => {
  it("gets a group of its own when it has no references", () => {
    const before = `<Project Sdk="Microsoft.NET.Sdk.Web">

  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>

</Project>
`;
    expect(inject(before)).toBe(`<Project Sdk="Microsoft.NET.Sdk.Web">

  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>

  <ItemGroup>
    <PackageReference Include="Orders.Client" Version="2.1.0" />
  </ItemGroup>

</Project>
`);
  });

  it("gets the new group after the last one, without blank lines where the file has none", () => {
    const before = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include="..\\Core\\Core.csproj" />
  </ItemGroup>
  <Import Project="x.targets" />
</Project>`;
    expect(inject(before)).toBe(`<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include="..\\Core\\Core.csproj" />
  </ItemGroup>
  <ItemGroup>
    <PackageReference Include="Orders.Client" Version="2.1.0" />
  </ItemGroup>
  <Import Project="x.targets" />
</Project>`);
  });

  it("keeps CRLF, tabs and a sorted order", () => {
    const before = [
      '<Project Sdk="Microsoft.NET.Sdk">',
      "\t<ItemGroup>",
      '\t\t<PackageReference Include="Dapper" Version="2.1.35"/>',
      '\t\t<PackageReference Include="serilog" Version="4.0.0"/>',
      "\t</ItemGroup>",
      "</Project>",
      "",
    ].join("\r\n");
    expect(inject(before)).toBe(
      before.replace('35"/>\r\n', '35"/>\r\n\t\t<PackageReference Include="Orders.Client" Version="2.1.0"/>\r\n'),
    );
  });

  it("makes a new group with the tabs and line ends of the file", () => {
    const before = "<Project>\r\n\t<PropertyGroup>\r\n\t\t<A>1</A>\r\n\t</PropertyGroup>\r\n</Project>\r\n";
    expect(inject(before)).toBe(
      "<Project>\r\n\t<PropertyGroup>\r\n\t\t<A>1</A>\r\n\t</PropertyGroup>\r\n" +
        '\t<ItemGroup>\r\n\t\t<PackageReference Include="Orders.Client" Version="2.1.0" />\r\n\t</ItemGroup>\r\n</Project>\r\n',
    );
  });

  it("puts the first name of a sorted group first", () => {
    const before = `<Project>
  <ItemGroup>
    <PackageReference Include="Polly" Version="8.4.0" />
    <PackageReference Include="Serilog" Version="4.0.0" />
  </ItemGroup>
</Project>
`;
    expect(inject(before)).toBe(
      before.replace(
        "<ItemGroup>\n",
        '<ItemGroup>\n    <PackageReference Include="Orders.Client" Version="2.1.0" />\n',
      ),
    );
  });

  it("appends to a group that is not sorted, after the comment that ends the line", () => {
    const before = `<Project>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="4.0.0" />
    <PackageReference Include="Dapper" Version="2.1.35" /> <!-- data access -->
    <!-- keep this last -->
  </ItemGroup>
</Project>
`;
    expect(inject(before)).toBe(
      before.replace(
        "<!-- data access -->\n",
        '<!-- data access -->\n    <PackageReference Include="Orders.Client" Version="2.1.0" />\n',
      ),
    );
  });

  it("passes by groups that have a condition or stand in a target", () => {
    const before = `<Project>
  <ItemGroup Condition="'$(TargetFramework)' == 'net472'">
    <PackageReference Include="System.Memory" Version="4.5.5" />
  </ItemGroup>
  <ItemGroup>
    <PackageReference Include="Dapper" Version="2.1.35" />
  </ItemGroup>
  <Target Name="T">
    <ItemGroup>
      <PackageReference Include="Orders.Client" Version="0.0.1" />
    </ItemGroup>
  </Target>
</Project>
`;
    expect(inject(before)).toBe(
      before.replace('35" />\n', '35" />\n    <PackageReference Include="Orders.Client" Version="2.1.0" />\n'),
    );
  });

  it.each([
    [
      "an attribute",
      `<PackageReference Include="Orders.Client" Version="1.0.0" />`,
      `<PackageReference Include="Orders.Client" Version="2.1.0" />`,
    ],
    [
      "another casing",
      `<PackageReference Include="ORDERS.client" Version='1.0.0'/>`,
      `<PackageReference Include="ORDERS.client" Version='2.1.0'/>`,
    ],
    [
      "an element",
      `<PackageReference Include="Orders.Client"><Version>1.0.0</Version></PackageReference>`,
      `<PackageReference Include="Orders.Client"><Version>2.1.0</Version></PackageReference>`,
    ],
    [
      "no version",
      `<PackageReference Include="Orders.Client" PrivateAssets="all" />`,
      `<PackageReference Include="Orders.Client" Version="2.1.0" PrivateAssets="all" />`,
    ],
    [
      "an expression",
      `<PackageReference Include="Orders.Client" Version="$(OrdersVersion)" />`,
      `<PackageReference Include="Orders.Client" Version="2.1.0" />`,
    ],
    [
      "a floating version",
      `<PackageReference Include="Orders.Client" Version="2.*" />`,
      `<PackageReference Include="Orders.Client" Version="2.1.0" />`,
    ],
    [
      "a higher version",
      `<PackageReference Include="Orders.Client" Version="3.0.0" />`,
      `<PackageReference Include="Orders.Client" Version="2.1.0" />`,
    ],
    [
      "an update",
      `<PackageReference Update="Orders.Client" Version="1.0.0" />`,
      `<PackageReference Update="Orders.Client" Version="2.1.0" />`,
    ],
    [
      "the same version",
      `<PackageReference Include="Orders.Client" Version="2.1" />`,
      `<PackageReference Include="Orders.Client" Version="2.1" />`,
    ],
  ])("updates an existing reference with %s in place", (_case, before, after) => {
    const around = (line: string) => `<Project>\n  <ItemGroup>\n    ${line}\n  </ItemGroup>\n</Project>\n`;
    expect(inject(around(before))).toBe(around(after));
  });

  it("updates every reference where conditions hold several", () => {
    const before = `<Project>
  <ItemGroup Condition="a"><PackageReference Include="Orders.Client" Version="1.0.0" /></ItemGroup>
  <Choose><When Condition="b"><ItemGroup><PackageReference Include="Orders.Client" Version="1.5.0" /></ItemGroup></When></Choose>
</Project>
`;
    expect(inject(before)).toBe(before.replace("1.0.0", "2.1.0").replace("1.5.0", "2.1.0"));
  });

  it("writes a project on one line on one line", () => {
    expect(
      inject(`<Project><ItemGroup><PackageReference Include="Dapper" Version="2.1.35"/></ItemGroup></Project>`),
    ).toBe(
      `<Project><ItemGroup><PackageReference Include="Dapper" Version="2.1.35"/><PackageReference Include="Orders.Client" Version="2.1.0"/></ItemGroup></Project>`,
    );
  });

  it("opens an empty project", () => {
    expect(inject(`<Project Sdk="Microsoft.NET.Sdk" />`)).toBe(
      `<Project Sdk="Microsoft.NET.Sdk">\n  <ItemGroup>\n    <PackageReference Include="Orders.Client" Version="2.1.0" />\n  </ItemGroup>\n</Project>`,
    );
  });

  it("adds several libraries in the order of their names, and escapes what is no name", () => {
    const before = `<Project>\n  <ItemGroup>\n    <PackageReference Include="B" Version="1.0.0" />\n  </ItemGroup>\n</Project>\n`;
    const libraries = [
      { packageName: "C", version: "1.0.0-rc.1" },
      { packageName: "A", version: "1.0.0+a" },
      { packageName: 'D"<&', version: "1.0.0" },
    ];
    expect(inject(before, libraries)).toBe(`<Project>
  <ItemGroup>
    <PackageReference Include="A" Version="1.0.0+a" />
    <PackageReference Include="B" Version="1.0.0" />
    <PackageReference Include="C" Version="1.0.0-rc.1" />
    <PackageReference Include="D&quot;&lt;&amp;" Version="1.0.0" />
  </ItemGroup>
</Project>
`);
  });

  it("is the same after a second run", () => {
    const once = inject("<Project>\n  <PropertyGroup />\n</Project>\n");
    expect(inject(once)).toBe(once);
  });
});

describe("the encoding of a project", () => {
  const before =
    '<Project>\n  <!-- größe 😀 -->\n  <ItemGroup>\n    <PackageReference Include="Z" Version="1.0.0" />\n  </ItemGroup>\n</Project>\n';
  const after = before.replace(
    "<ItemGroup>\n",
    '<ItemGroup>\n    <PackageReference Include="Orders.Client" Version="2.1.0" />\n',
  );
  const utf16be = (value: string) => Buffer.from(value, "utf16le").swap16();

  it.each([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${before}`), Buffer.from(`\ufeff${after}`)],
    ["UTF-16 little endian", Buffer.from(`\ufeff${before}`, "utf16le"), Buffer.from(`\ufeff${after}`, "utf16le")],
    ["UTF-16 big endian", utf16be(`\ufeff${before}`), utf16be(`\ufeff${after}`)],
  ])("stays %s", (_name, bytes, expectedBytes) => {
    const files = new Map([["App.csproj", { bytes, executable: true }]]);
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(Buffer.from(injection.files.get("App.csproj")?.bytes ?? []).equals(expectedBytes)).toBe(true);
    expect(injection.files.get("App.csproj")?.executable).toBe(true);
  });

  it("is refused when it can not be written back", () => {
    const files = new Map([
      ["App.csproj", { bytes: Buffer.from("<Project a='\xe9' />", "latin1"), executable: false }],
    ]);
    expect(() => injectPackageReferences(files, orders, { primaryOutputs: [] })).toThrow("its encoding is not UTF-8");
  });
});

describe("central package management", () => {
  const project = `<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="Serilog" />
  </ItemGroup>
</Project>
`;
  const props = `<Project>
  <PropertyGroup>
    <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>
  </PropertyGroup>
  <ItemGroup>
    <PackageVersion Include="Serilog" Version="4.0.0" />
  </ItemGroup>
</Project>
`;
  const referencingProject = project.replace(
    "<ItemGroup>\n",
    '<ItemGroup>\n    <PackageReference Include="Orders.Client" />\n',
  );
  const versionedProps = props.replace(
    "<ItemGroup>\n",
    '<ItemGroup>\n    <PackageVersion Include="Orders.Client" Version="2.1.0" />\n',
  );
  const branch = (files: Record<string, string>): InjectionContext => ({
    primaryOutputs: [],
    targetBranchFile: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
  });

  it("writes the reference without a version and the version into the produced props file", () => {
    const files = tree({ "src/App/App.csproj": project, "Directory.Packages.props": props });
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(text(injection.files, "src/App/App.csproj")).toBe(referencingProject);
    expect(text(injection.files, "Directory.Packages.props")).toBe(versionedProps);
    expect(injection).toMatchObject({ warnings: [], branchFiles: [] });
  });

  it("carries the props file of the target branch into the scaffold", () => {
    const injection = injectPackageReferences(
      tree({ "src/App/App.csproj": project }),
      orders,
      branch({ "Directory.Packages.props": props }),
    );
    expect(text(injection.files, "src/App/App.csproj")).toBe(referencingProject);
    expect(text(injection.files, "Directory.Packages.props")).toBe(versionedProps);
    expect(injection.branchFiles).toEqual(["Directory.Packages.props"]);
  });

  it("uses the nearest props file", () => {
    const files = tree({ "src/App/App.csproj": project, "src/Directory.Packages.props": props });
    const injection = injectPackageReferences(files, orders, branch({ "Directory.Packages.props": props }));
    expect(text(injection.files, "src/Directory.Packages.props")).toBe(versionedProps);
    expect(injection.files.has("Directory.Packages.props")).toBe(false);
  });

  it("is off when the project says so, and on when only the project says so", () => {
    const says = (value: string) =>
      project.replace(
        "  <ItemGroup>",
        `  <PropertyGroup><ManagePackageVersionsCentrally>${value}</ManagePackageVersionsCentrally></PropertyGroup>\n  <ItemGroup>`,
      );
    const off = injectPackageReferences(
      tree({ "A.csproj": says("false"), "Directory.Packages.props": props }),
      orders,
      {
        primaryOutputs: [],
      },
    );
    expect(text(off.files, "A.csproj")).toContain('<PackageReference Include="Orders.Client" Version="2.1.0" />');
    expect(text(off.files, "Directory.Packages.props")).toBe(props);
    const silent = props.replace("true", " ");
    const on = injectPackageReferences(tree({ "A.csproj": says("true"), "Directory.Packages.props": silent }), orders, {
      primaryOutputs: [],
    });
    expect(text(on.files, "A.csproj")).toContain('<PackageReference Include="Orders.Client" />');
    expect(text(on.files, "Directory.Packages.props")).toContain('Include="Orders.Client" Version="2.1.0"');
  });

  it("makes the props file when the setting stands in the project alone", () => {
    const files = tree({
      "src/A.csproj":
        "<Project>\n  <PropertyGroup>\n    <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>\n  </PropertyGroup>\n</Project>\n",
    });
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(text(injection.files, "Directory.Packages.props")).toBe(`<Project>
  <PropertyGroup>
    <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>
  </PropertyGroup>
  <ItemGroup>
    <PackageVersion Include="Orders.Client" Version="2.1.0" />
  </ItemGroup>
</Project>
`);
    expect(injection.branchFiles).toEqual([]);
  });

  it("raises a lower central version and keeps a higher one with a warning", () => {
    const raisedInjection = injectPackageReferences(
      tree({ "A.csproj": referencingProject, "Directory.Packages.props": versionedProps.replace("2.1.0", "2.0.9") }),
      orders,
      { primaryOutputs: [] },
    );
    expect(text(raisedInjection.files, "Directory.Packages.props")).toBe(versionedProps);
    expect(text(raisedInjection.files, "A.csproj")).toBe(referencingProject);
    const higher = versionedProps.replace("2.1.0", "2.2.0");
    const keptInjection = injectPackageReferences(
      tree({ "A.csproj": project, "Directory.Packages.props": higher }),
      orders,
      {
        primaryOutputs: [],
      },
    );
    expect(text(keptInjection.files, "Directory.Packages.props")).toBe(higher);
    expect(text(keptInjection.files, "A.csproj")).toBe(referencingProject);
    expect(keptInjection.warnings).toEqual([
      {
        code: "LibraryVersionAlreadyHigher",
        message:
          "Directory.Packages.props already references Orders.Client 2.2.0, which is higher than 2.1.0. The higher version was kept.",
      },
    ]);
  });

  it("raises an override and leaves the central version of the others alone", () => {
    const overriding = referencingProject.replace('"Orders.Client" />', '"Orders.Client" VersionOverride="1.0.0" />');
    const old = versionedProps.replace("2.1.0", "0.9.0");
    const files = tree({ "A.csproj": overriding, "Directory.Packages.props": old });
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(text(injection.files, "A.csproj")).toBe(overriding.replace("1.0.0", "2.1.0"));
    expect(text(injection.files, "Directory.Packages.props")).toBe(old);
  });

  it("takes the version off a reference that may not carry one", () => {
    const wrong = referencingProject.replace('"Orders.Client" />', '"Orders.Client" Version="1.0.0" />');
    const files = tree({ "A.csproj": wrong, "Directory.Packages.props": props });
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(text(injection.files, "A.csproj")).toBe(referencingProject);
  });

  it("names the branch files it will ask for", () => {
    const files = tree({ "src/App/App.csproj": project, "Directory.Packages.props": props });
    expect(branchFilesToRead(files, [])).toEqual([
      "Directory.Build.props",
      "src/App/Directory.Build.props",
      "src/App/Directory.Packages.props",
      "src/Directory.Build.props",
      "src/Directory.Packages.props",
    ]);
  });
});

describe("the projects that take libraries", () => {
  const project = "<Project>\n  <PropertyGroup />\n</Project>\n";
  const changedPaths = (files: Record<string, string>, primaryOutputs: string[]) => {
    const before = tree(files);
    const { files: after } = injectPackageReferences(before, orders, { primaryOutputs });
    return [...after.keys()].filter((path) => text(before, path) !== text(after, path));
  };

  it("are the primary outputs", () => {
    const files = { "a/A.csproj": project, "b/B.fsproj": project, "c/C.csproj": project, "x.sln": "" };
    expect(changedPaths(files, ["./a/A.csproj", "b\\B.fsproj", "x.sln", "missing.csproj"])).toEqual([
      "a/A.csproj",
      "b/B.fsproj",
    ]);
  });

  it("are no tests while there is something else", () => {
    const tests = project.replace(
      "<PropertyGroup />",
      "<PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>",
    );
    const files = { "a/A.csproj": project, "a/A.Tests.csproj": project, "b/Checks.csproj": tests };
    expect(changedPaths(files, Object.keys(files))).toEqual(["a/A.csproj"]);
    expect(changedPaths(files, [])).toEqual(["a/A.csproj"]);
    expect(changedPaths(files, ["a/A.Tests.csproj"])).toEqual(["a/A.Tests.csproj"]);
  });

  it("are those nearest to the root without primary outputs", () => {
    const files = {
      "src/A/A.csproj": project,
      "src/B/B.vbproj": project,
      "src/B/tools/T.csproj": project,
      "s.shproj": project,
    };
    expect(changedPaths(files, [])).toEqual(["src/A/A.csproj", "src/B/B.vbproj"]);
  });

  it("are missing with a warning", () => {
    const files = tree({ "README.md": "x", "A.Tests.csproj": project });
    const injection = injectPackageReferences(files, orders, { primaryOutputs: [] });
    expect(injection.files).toEqual(files);
    expect(injection.warnings).toEqual([
      {
        code: "NoProjectForLibraries",
        message:
          "The scaffold has no project that can reference packages. These libraries were not added: Orders.Client 2.1.0.",
      },
    ]);
  });
});

describe("libraries that can not be injected", () => {
  const refusal = (files: Record<string, string>, version: string): unknown => {
    try {
      return injectPackageReferences(tree(files), [{ packageName: "A", version }], { primaryOutputs: [] });
    } catch (error) {
      return error;
    }
  };

  it.each(["1.*", "*", "[1.0,2.0)", "", "$(V)"])("are those asked for in version %j", (version) => {
    const error = refusal({ "A.csproj": "<Project />" }, version);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: "LIBRARY_INJECTION_FAILED" });
  });

  it.each(["", "<Project>", "<Project></Projekt>", "no xml", "<Project>&bad;</Project>", "<a/><b/>"])(
    "are those of a project that reads %j",
    (brokenProject) => {
      expect(refusal({ "A.csproj": brokenProject }, "1.0.0")).toMatchObject({
        code: "LIBRARY_INJECTION_FAILED",
        facts: { path: "A.csproj" },
      });
    },
  );

  it("refuses what would keep the process busy", () => {
    const items = Array.from({ length: 20_000 }, (_, index) => `<PackageReference Include="Q.${index}" />`).join("\n");
    const bytes = Buffer.from(`<Project><ItemGroup>${items}</ItemGroup></Project>`);
    const libraries = Array.from({ length: 200 }, (_, index) => ({ packageName: `P.${index}`, version: "1.0.0" }));
    const files = new Map([["a.csproj", { bytes, executable: false }]]);
    expect(() => injectPackageReferences(files, libraries, { primaryOutputs: [] })).toThrow(
      "too large for so many libraries",
    );
    // counted: each reading is parsed again
    const texts = new ScaffoldTexts(files, () => undefined);
    let readings = 0;
    const readOn = () => {
      for (; readings < libraries.length; readings += 1) texts.read("a.csproj");
    };
    expect(readOn).toThrow("too large for so many libraries");
    expect(readings * bytes.length).toBeLessThan(51_000_000);
  });
});
