import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { forgottenOrigins, UserOrigin } from "./user-origin.entity.js";

/** The new users' inviters, by which two accounts for one person are found. */
export const userOrigins: SliceModule = {
  slice: "user-origins",
  entities: [UserOrigin],
  retention: () => [forgottenOrigins],
};
