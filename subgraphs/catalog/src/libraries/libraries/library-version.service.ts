import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { LockMode } from "@mikro-orm/postgresql";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { requireReason } from "../deprecations/deprecation-reason.js";
import { Library } from "./library.entity.js";
import type {
  DeprecateLibraryVersionInput,
  RegisterLibraryVersionInput,
  RetireLibraryVersionInput,
} from "./library.input.js";
import type { ReleasedState } from "./library.states.js";
import { statesBefore } from "./library.states.js";
import type { LibraryVersionType } from "./library.type.js";
import { libraryVersionView } from "./library.view.js";
import { LibraryVersion } from "./library-version.entity.js";
import { checkDeprecation, checkVersion } from "./library-version-check.js";
import { indexVersions, versionFacts, writeVersion, writingFailure } from "./library-writing.js";

const versionById = keyStatement(
  "library_version_by_id",
  `select ${columnsOf(LibraryVersion)} from library_versions where tenant_id = scope.tenant and library_version_id = $2`,
);
const readVersion = rowReader(LibraryVersion);

interface Transition {
  /** The root field; with the arguments it is the idempotency key's scope. */
  readonly field: string;
  readonly arguments: unknown;
  readonly libraryVersionId: string;
  readonly to: ReleasedState;
  readonly event: EventType;
  readonly facts?: Partial<Pick<LibraryVersion, "deprecation" | "retirementReason">>;
  /** The event's further members. */
  readonly eventData?: Record<string, unknown>;
}

/** Registers versions of existing libraries and changes their state. */
export class LibraryVersionService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(tenant: Tenant, libraryVersionId: string): Promise<LibraryVersionType | undefined> {
    const uuid = decodeId("lbv", libraryVersionId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<RowOf<LibraryVersion>>(versionById, tenant, uuid);
    return row && libraryVersionView(readVersion(row));
  }

  async register(
    context: RequestContext,
    libraryId: string,
    input: RegisterLibraryVersionInput,
  ): Promise<LibraryVersionType> {
    const version = checkedVersion(input);
    const publish = input.publish ?? true;
    try {
      return await idempotentMutation(this.#database, context, {
        field: "registerLibraryVersion",
        arguments: { libraryId, input },
        commit: async (transaction) => {
          const library = await requireLibrary(transaction, libraryId);
          const newVersion = writeVersion(transaction, library, { ...version, publish });
          await indexVersions(transaction, libraryId);
          return libraryVersionView(newVersion);
        },
      });
    } catch (error) {
      throw writingFailure(error);
    }
  }

  publish(context: RequestContext, libraryVersionId: string): Promise<LibraryVersionType> {
    return this.#changeState(context, {
      field: "publishLibraryVersion",
      arguments: { libraryVersionId },
      libraryVersionId,
      to: "Published",
      event: "LibraryVersionPublished",
    });
  }

  deprecate(
    context: RequestContext,
    libraryVersionId: string,
    input: DeprecateLibraryVersionInput,
  ): Promise<LibraryVersionType> {
    const problems = new InputProblems("LIBRARIES_INVALID");
    requireReason(input.reason);
    const deprecation = checkDeprecation(input, "", problems);
    problems.refuse("The version cannot be deprecated. See errors for each value that must change.");
    return this.#changeState(context, {
      field: "deprecateLibraryVersion",
      arguments: { libraryVersionId, input },
      libraryVersionId,
      to: "Deprecated",
      event: "LibraryVersionDeprecated",
      facts: { deprecation },
      eventData: { ...deprecation },
    });
  }

  retire(
    context: RequestContext,
    libraryVersionId: string,
    input: RetireLibraryVersionInput,
  ): Promise<LibraryVersionType> {
    const { reason } = input;
    return this.#changeState(context, {
      field: "retireLibraryVersion",
      arguments: { libraryVersionId, input },
      libraryVersionId,
      to: "Retired",
      event: "LibraryVersionRetired",
      facts: { retirementReason: reason },
      eventData: { reason },
    });
  }

  #changeState(context: RequestContext, transition: Transition): Promise<LibraryVersionType> {
    return idempotentMutation(this.#database, context, {
      field: transition.field,
      arguments: transition.arguments,
      commit: async (transaction) => {
        const { em, tenant, record } = transaction;
        const { libraryVersionId, to } = transition;
        const isVersionId = decodeId("lbv", libraryVersionId) !== undefined;
        const key = { tenantId: tenant.tenantId, libraryVersionId };
        // the lock makes two changes run one after the other, so the second one sees the state after the first
        const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
        const version = isVersionId ? await em.findOne(LibraryVersion, key, lock) : null;
        if (!version)
          throw new DomainError("LIBRARY_VERSION_NOT_FOUND", {
            detail: `This tenant has no library version ${libraryVersionId}.`,
          });
        const { tenantId, libraryId, status } = version;
        const allowedStates = statesBefore(to);
        if (!allowedStates.includes(status))
          throw new DomainError("INVALID_STATE", {
            detail: `A library version that is ${status} cannot become ${to}. It must be ${allowedStates.join(" or ")} before.`,
            currentState: status,
            allowed: allowedStates,
          });
        const library = await em.findOneOrFail(Library, { tenantId, libraryId });
        em.assign(version, { ...transition.facts, status: to });
        record({
          type: transition.event,
          subject: `libraries/${libraryId}`,
          data: { ...versionFacts(library, version), ...transition.eventData },
        });
        await indexVersions(transaction, libraryId);
        return libraryVersionView(version);
      },
    });
  }
}

async function requireLibrary({ em, tenant }: Transaction, libraryId: string): Promise<Library> {
  const isLibraryId = decodeId("lib", libraryId) !== undefined;
  const library = isLibraryId ? await em.findOne(Library, { tenantId: tenant.tenantId, libraryId }) : null;
  if (!library) throw new DomainError("LIBRARY_NOT_FOUND", { detail: `This tenant has no library ${libraryId}.` });
  return library;
}

function checkedVersion(input: RegisterLibraryVersionInput) {
  const problems = new InputProblems("LIBRARIES_INVALID");
  const version = checkVersion(input, "", problems);
  if (input.publish === false && version.deprecation !== null)
    problems.add(
      "/deprecation",
      "FORMAT",
      "Only a published version can be deprecated. Leave out deprecation, or publish the version.",
    );
  problems.refuse("The version cannot be registered. See errors for each value that must change.");
  return version;
}
