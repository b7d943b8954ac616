/** The limits for one scan. A scan that reaches a limit is stored as incomplete, and names the limit. */
export const scanLimits = {
  /** Projects in a render. */
  projects: 100,
  /** Target frameworks in one project. */
  frameworksOfProject: 10,
  /** Projects with one framework each: each pair is resolved for itself. */
  resolutions: 200,
  /** References in all projects together. */
  references: 2000,
  /** Files that one project imports. */
  importsOfProject: 200,
  /** Evaluations for one project and framework: each combination of conditions that the files do not decide. */
  evaluationsOfFramework: 64,
  /** Evaluations for all projects together. */
  evaluations: 1000,
  /** A project's references, counted over all combinations of conditions. */
  referencesOfEvaluations: 20_000,
  /** Bytes in all project files together. */
  characters: 5_000_000,
  /** Packages in the result. */
  packages: 2000,
  /** Dependencies between the result's packages. */
  dependencies: 20_000,
  /** Steps from a project to a transitive package. */
  depth: 64,
  /** Advisories about the result's packages. */
  advisories: 2000,
  /** Vulnerabilities in all packages together. */
  vulnerabilities: 2000,
  /** Bytes in the stored packages. */
  bytes: 4 * 1024 * 1024,
} as const;

/** The libraries in a set. gRPC requests and commands are checked by it only. */
export const maxSetLibraries = 200;
