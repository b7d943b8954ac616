import { columnsOf } from "@factory/runtime/db/entity-rows";
import { Library } from "./library.entity.js";
import { libraryMembers } from "./library.view.js";

/**
 * The columns for a `LibraryRow`, selected from `libraries library`, with the versions that meet a condition on
 * `version`.
 */
export const libraryColumnsWith = (versionCondition: string): string =>
  `${columnsOf(Library, libraryMembers)},
     (select jsonb_agg(to_jsonb(version)) from library_versions version
      where version.tenant_id = library.tenant_id and version.library_id = library.library_id
        and ${versionCondition}) as versions`;
