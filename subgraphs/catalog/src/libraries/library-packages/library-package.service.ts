import { compareVersions, parseVersion } from "@factory/nuget/version";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Trace } from "@factory/runtime/telemetry/trace";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import type { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { parseSourceRef } from "../../sources/sources/references/source-ref.js";
import type { PackageListing } from "../../sources/sources/source-reader.js";
import { assetFrameworks, type ImportWarning } from "./asset-frameworks.js";
import { type Nuspec, readNuspec } from "./nuspec.js";
import { packagePointer, packageProblem } from "./package-problem.js";

/** A package's metadata, as the import registers it. */
export interface LibraryPackage extends Omit<Nuspec, "packageTypes"> {
  readonly targetFrameworks: string[];
  readonly resolvedRef: string;
  readonly warnings: ImportWarning[];
}

const readTimeoutMs = 30_000;
/** Each import holds its package in memory, at most 50 MiB. */
const maxAtOnce = 4;
const manifests = { isWanted: (path: string) => /^[^/]+\.nuspec$/i.test(path), maxBytes: 1024 * 1024 };
/** Package types that projects cannot reference. */
const unsupportedTypes = new Set(["template", "dotnettool", "dotnetclitool", "dotnetplatform", "msbuildsdk"]);
const library = "dependency";

/** Reads .NET packages for the catalog: the manifest and the file names, never their content. */
export class LibraryPackageService {
  readonly #sources: TemplateSources;
  readonly #limiter = new ConcurrencyLimiter({ maxPerTenant: maxAtOnce }, "imports");

  constructor(sources: TemplateSources) {
    this.#sources = sources;
  }

  async read(tenant: Tenant, sourceRef: string, trace: Trace): Promise<LibraryPackage> {
    const { paths, files, resolvedRef } = await this.#list(tenant, sourceRef, trace);
    const [manifest, another] = [...files.values()];
    if (manifest === undefined)
      throw packageProblem(
        "REQUIRED",
        "The package has no nuspec at its root. Pack the library again with dotnet pack.",
      );
    if (another !== undefined)
      throw packageProblem("FORMAT", "The package has more than one nuspec at its root. Exactly one is allowed.");
    const problems = new InputProblems("LIBRARY_PACKAGE_INVALID");
    const { packageTypes, ...nuspec } = readNuspec(manifest, problems);
    requireSameName(sourceRef, nuspec, problems);
    const typeWarnings = checkTypes(packageTypes, problems);
    const { frameworks, warnings } = assetFrameworks(paths, problems);
    problems.refuse();
    return { ...nuspec, targetFrameworks: frameworks, resolvedRef, warnings: [...typeWarnings, ...warnings] };
  }

  async #list(tenant: Tenant, sourceRef: string, trace: Trace): Promise<PackageListing> {
    try {
      const options = { timeoutMs: readTimeoutMs, subject: "libraries/import", trace };
      return await this.#limiter.run(tenant.tenantId, () =>
        this.#sources.listPackage(tenant, sourceRef, manifests, options),
      );
    } catch (error) {
      // an execution stores this code as its error; an import answers a request, so it needs its own code
      if (error instanceof DomainError && /^SOURCE_(?:UNAVAILABLE|TOO_LARGE|UNSAFE)$/.test(error.code))
        throw new DomainError("LIBRARY_PACKAGE_INVALID", { ...error.facts, reason: error.code });
      throw error;
    }
  }
}

/** Checks that a feed returned the package that was requested. */
function requireSameName(sourceRef: string, { packageName, version }: Identity, problems: InputProblems): void {
  const parseResult = parseSourceRef(sourceRef);
  if (!("ref" in parseResult) || parseResult.ref.kind !== "package" || parseResult.ref.transport !== "feed") return;
  const [requestedVersion, packageVersion] = [parseVersion(parseResult.ref.version), parseVersion(version)];
  const isSame =
    requestedVersion !== undefined &&
    packageVersion !== undefined &&
    compareVersions(requestedVersion, packageVersion) === 0;
  if (!isSame || parseResult.ref.packageId.toLowerCase() !== packageName.toLowerCase())
    problems.add(
      packagePointer,
      "FORMAT",
      `The feed returned ${packageName} ${version} for the request ${sourceRef}. Check the feed.`,
    );
}

type Identity = Pick<Nuspec, "packageName" | "version">;

function checkTypes(packageTypes: readonly string[], problems: InputProblems): ImportWarning[] {
  if (packageTypes.some((type) => type.toLowerCase() === library)) return [];
  const other = packageTypes.find((type) => unsupportedTypes.has(type.toLowerCase()));
  if (other !== undefined)
    problems.add(
      packagePointer,
      "UNSUPPORTED",
      `The package has the type ${other}, which projects cannot reference. Import a package of the type Dependency.`,
    );
  return packageTypes
    .filter((type) => type !== other)
    .map((type) => ({
      code: "PackageTypeUnknown",
      message: `The package has the type ${type}, which is not known. It is imported as a library.`,
    }));
}
