import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { forgottenOrigins, UserOrigin } from "./user-origin.entity.js";

/** The inviters of new users, by which two accounts of one person are found. */
export const userOrigins: SliceModule = {
  slice: "user-origins",
  entities: [UserOrigin],
  retention: () => [forgottenOrigins],
};
