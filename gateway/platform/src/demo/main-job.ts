import { call } from "../client/platform-api.js";
import type { Report } from "./report.js";

/** The main job's requests, as a partner would send them. */
export class MainJob {
  readonly #publicUrl: string;
  readonly #token: string;
  readonly #report: Report;

  constructor(publicUrl: string, token: string, report: Report) {
    this.#publicUrl = publicUrl;
    this.#token = token;
    this.#report = report;
  }

  async post<T extends object>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await call<T>("POST", this.#publicUrl + path, { token: this.#token, body, headers });
    this.#report.answer(`POST ${path}`, answer.status, answer.body);
    return answer.body;
  }

  async get<T extends object>(path: string): Promise<T> {
    return (await call<T>("GET", this.#publicUrl + path, { token: this.#token })).body;
  }
}

/** The libraries that the demo registers and injects. */
export const libraries = [
  {
    packageName: "Serilog.AspNetCore",
    area: "Observability",
    owner: "platform-team",
    capabilities: [{ name: "logging.structured", contract: "ILogger" }],
    tags: ["logging"],
    versions: [
      { semanticVersion: "8.0.2", targetFramework: "net8.0" },
      { semanticVersion: "9.0.0", targetFramework: "net9.0" },
    ],
  },
  {
    packageName: "Polly",
    area: "Resilience",
    owner: "platform-team",
    capabilities: [{ name: "resilience.retry", contract: "ResiliencePipeline" }],
    tags: ["resilience"],
    versions: [{ semanticVersion: "8.4.2", targetFrameworks: ["netstandard2.0", "net8.0"] }],
  },
];

/** The `parameterSchema` in the demo's template version. */
export const parameterSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["Framework"],
  properties: {
    Framework: { type: "string", enum: ["net8.0", "net9.0", "net10.0"], default: "net8.0" },
    Description: { type: "string", maxLength: 200, default: "A web API." },
    HttpPort: { type: "integer", minimum: 1024, maximum: 65535, default: 5080 },
    EnableOpenApi: { type: "boolean", default: true },
    Database: { type: "string", enum: ["None", "PostgreSql", "SqlServer"], default: "None" },
    IncludeTests: { type: "boolean", default: true },
    IncludeDocker: { type: "boolean", default: true },
  },
};
