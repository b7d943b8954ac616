/** A nuspec with these elements in its metadata, after `id` and `version`. */
export function nuspecOf(metadata: string, { id = "Acme.Orders", version = "1.2.3" } = {}): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>${id}</id>
    <version>${version}</version>
    ${metadata}
  </metadata>
</package>
`;
}
