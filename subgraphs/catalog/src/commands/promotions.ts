import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { CommandOf } from "@factory/schema/command-names";
import type { LibraryVersionType } from "../libraries/libraries/library.type.js";
import type { LibraryVersionService } from "../libraries/libraries/library-version.service.js";
import type { TemplatePromotionService } from "../templates/templates/template-promotion.service.js";
import type { TemplateVersionType } from "../templates/templates/template-version.type.js";
import { type CommandData, checkedData } from "./command-data.js";

interface Promoted {
  PublishTemplateVersion: TemplateVersionType;
  DeprecateTemplateVersion: TemplateVersionType;
  PublishLibraryVersion: LibraryVersionType;
  DeprecateLibraryVersion: LibraryVersionType;
  RetireLibraryVersion: LibraryVersionType;
}

/** The commands that change a version's state. */
export type PromotionType = Exclude<CommandOf<"catalog">, "ImportLibraryPackage" | "ScanDependencies">;

type Handlers = { [C in PromotionType]: (context: RequestContext, data: CommandData[C]) => Promise<Promoted[C]> };

/** Executes the commands that change a version's state, for the bus and for gRPC. */
export class Promotions {
  readonly #handlers: Handlers;

  constructor(templateVersions: TemplatePromotionService, libraryVersions: LibraryVersionService) {
    this.#handlers = {
      PublishTemplateVersion: (context, { templateVersionId }) => templateVersions.publish(context, templateVersionId),
      DeprecateTemplateVersion: (context, { templateVersionId, reason, message, replacementTemplateVersionId }) =>
        templateVersions.deprecate(context, templateVersionId, {
          reason,
          ...definedMembers({ message, replacementTemplateVersionId }),
        }),
      PublishLibraryVersion: (context, { libraryVersionId }) => libraryVersions.publish(context, libraryVersionId),
      DeprecateLibraryVersion: (context, { libraryVersionId, reason, message, alternatePackage }) =>
        libraryVersions.deprecate(context, libraryVersionId, {
          reason,
          ...definedMembers({ message, alternatePackage }),
        }),
      RetireLibraryVersion: (context, { libraryVersionId, reason }) =>
        libraryVersions.retire(context, libraryVersionId, { reason }),
    };
  }

  /** Validates the data by the command's schema, and executes it. */
  async execute<C extends PromotionType>(type: C, context: RequestContext, data: unknown): Promise<Promoted[C]> {
    return this.#handlers[type](context, checkedData(type, data));
  }
}

/** Removes undefined members, which protobuf has where an input has none. */
function definedMembers<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
