import { withReference } from "./project-reference.js";

describe("withReference", () => {
  it("edits a project of nearly 5 MB", () => {
    const references = '<PackageReference Include="A" />'.repeat(150_000);
    const project = `<Project><ItemGroup>${references}</ItemGroup></Project>`;
    const result = withReference(project, { element: "PackageReference", include: "B", version: null });
    expect(result?.length).toBeGreaterThan(project.length);
    expect(result?.endsWith('<PackageReference Include="B" /></ItemGroup></Project>')).toBe(true);
  });

  it("adds the reference behind the last one of its kind, also when groups are nested", () => {
    const inner = '<ItemGroup><PackageReference Include="A" /></ItemGroup>';
    const project = `<Project><Choose>${inner}</Choose><ItemGroup><PackageReference Include="B" /></ItemGroup></Project>`;
    const result = withReference(project, { element: "PackageReference", include: "C", version: null });
    expect(result?.replaceAll(/\s*\n\s*/g, "")).toContain(
      '<PackageReference Include="B" /><PackageReference Include="C" />',
    );
  });
});
