/** The limits of one scan. A scan that reaches one of them is stored as incomplete, and names the limit. */
export const scanLimits = {
  /** Projects of a render. */
  projects: 100,
  /** Target frameworks of one project. */
  frameworksOfProject: 10,
  /** Projects with one of their frameworks: each is resolved for itself. */
  resolutions: 200,
  /** References of all projects together. */
  references: 2000,
  /** Files that one project imports. */
  importsOfProject: 200,
  /** Evaluations of one project for one framework: each combination of conditions that the files do not decide. */
  evaluationsOfFramework: 64,
  /** Evaluations of all projects together. */
  evaluations: 1000,
  /** The references of a project, counted over all combinations of conditions. */
  referencesOfEvaluations: 20_000,
  /** Bytes of all project files together. */
  characters: 5_000_000,
  /** Packages of the result. */
  packages: 2000,
  /** Dependencies between packages of the result. */
  dependencies: 20_000,
  /** Steps from a project to a transitive package. */
  depth: 64,
  /** Advisories about the packages of the result. */
  advisories: 2000,
  /** Vulnerabilities of all packages together. */
  vulnerabilities: 2000,
  /** Bytes of the stored packages. */
  bytes: 4 * 1024 * 1024,
} as const;

/** The names of the limits, as a scan reports them. */
const scanLimitNames = [
  "Projects",
  "Files",
  "Conditions",
  "Names",
  "References",
  "Packages",
  "Dependencies",
  "Depth",
  "Libraries",
  "Advisories",
  "Size",
] as const;

export type ScanLimit = (typeof scanLimitNames)[number];

/** The libraries of a set. gRPC requests and commands are checked by it only. */
export const maxSetLibraries = 200;
