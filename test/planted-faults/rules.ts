import { accessRules } from "./access-rules.js";
import { contentRules } from "./content-rules.js";
import type { Rule } from "./fault.js";
import { messageRules } from "./message-rules.js";

export const rules: readonly Rule[] = [...accessRules, ...messageRules, ...contentRules];
