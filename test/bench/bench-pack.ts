import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface PackSize {
  readonly name: string;
  readonly files: number;
  /** The approximate size of all files together. */
  readonly bytes: number;
}

export const packSizes: readonly PackSize[] = [
  { name: "small", files: 20, bytes: 60 * 1024 },
  { name: "medium", files: 300, bytes: 1.5 * 1024 * 1024 },
  { name: "large", files: 5000, bytes: 40 * 1024 * 1024 },
];

const config = {
  author: "bench",
  classifications: ["Web"],
  identity: "Bench.Pack",
  name: "Bench",
  shortName: "bench",
  sourceName: "Bench.App1",
  tags: { language: "C#", type: "project" },
  symbols: {
    Database: {
      type: "parameter",
      datatype: "choice",
      defaultValue: "PostgreSql",
      choices: [{ choice: "None" }, { choice: "PostgreSql" }],
      replaces: "DATABASE-KIND",
    },
    UseDatabase: { type: "computed", value: '(Database != "None")' },
    Owner: { type: "parameter", datatype: "string", defaultValue: "Acme", replaces: "OWNER-PLACE" },
    Port: { type: "generated", generator: "port", parameters: { low: 5000, high: 5300 }, replaces: "5099" },
  },
};

/**
 * Writes a pack like a large real one: code with conditions and names, configuration, texts, and one binary file in
 * twenty.
 */
export async function writePack(folder: string, { files, bytes }: PackSize): Promise<void> {
  const each = Math.floor(bytes / files);
  const all: [string, string | Buffer][] = [[".template.config/template.json", JSON.stringify(config)]];
  all.push(["Bench.App1/Bench.App1.csproj", project()]);
  for (let place = all.length; place < files; place += 1) all.push(fileAt(place, each));
  for (const [path, content] of all) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const project = () => `<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <RootNamespace>Bench.App1</RootNamespace>
  </PropertyGroup>
  <!--#if (UseDatabase) -->
  <ItemGroup>
    <PackageReference Include="Npgsql" Version="8.0.4" />
  </ItemGroup>
  <!--#endif -->
</Project>
`;

function fileAt(place: number, size: number): [string, string | Buffer] {
  const folder = `Bench.App1/Area${place % 40}`;
  if (place % 20 === 0) return [`${folder}/image${place}.png`, binary(place, size)];
  if (place % 10 === 1) return [`${folder}/settings${place}.json`, repeated(setting, place, size)];
  if (place % 10 === 2) return [`${folder}/notes${place}.md`, repeated(note, place, size)];
  return [`${folder}/Service${place}.cs`, repeated(code, place, size)];
}

function repeated(part: (place: number) => string, place: number, size: number): string {
  let text = "";
  for (let at = 0; text.length < size; at += 1) text += part(place * 1000 + at);
  return text;
}

const code = (place: number) => `namespace Bench.App1.Area${place};

#if (UseDatabase)
public sealed class Service${place} : DatabaseService
{
    private const string Kind = "DATABASE-KIND";
#else
public sealed class Service${place}
{
#endif
    public string Owner => "OWNER-PLACE of Bench.App1";

    public async Task<int> CountAsync(CancellationToken cancellation)
    {
        var rows = await LoadAsync(cancellation);
        return rows.Where(row => row.Id % 7 == ${place % 7}).Sum(row => row.Amount);
    }
}

`;

const setting = (place: number) => `//#if (UseDatabase)
// "Database${place}": "DATABASE-KIND",
//#endif
// "Url${place}": "http://localhost:5099/OWNER-PLACE"
`;

const note = (place: number) => `## Service ${place} of Bench.App1

Owned by OWNER-PLACE. It listens on 5099 and keeps its rows in DATABASE-KIND.

`;

/** Bytes without repetitions, so that they do not compress. They are the same in every run. */
function binary(seed: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed * 2654435761 + 1;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
