// The parts of the linters' types that the suite uses. Their own types contradict each other under exactOptionalPropertyTypes.

declare module "@redocly/openapi-core" {
  export interface Config {
    readonly configPath?: string;
  }
  export function createConfig(config: { extends: readonly string[] }): Promise<Config>;
  export function lintFromString(document: {
    source: string;
    absoluteRef: string;
    config: Config;
  }): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}

declare module "@stoplight/spectral-rulesets" {
  const rulesets: { readonly oas: object };
  export default rulesets;
}

declare module "@stoplight/spectral-core" {
  class Spectral {
    setRuleset(ruleset: { extends: readonly [object, "recommended"][]; rules: object }): void;
    run(source: string): Promise<{ code: string | number; message: string; path: (string | number)[] }[]>;
  }
  const spectral: { readonly Spectral: typeof Spectral };
  export default spectral;
}
