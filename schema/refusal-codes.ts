import type { ErrorCode } from "./error-codes.js";

/** The code for a value outside of its closed set, by enum or by member. It is PARAMETERS_INVALID for all others. */
export const refusalCodes: Readonly<Record<string, ErrorCode | undefined>> = {
  EngineKind: "ENGINE_KIND_NOT_SUPPORTED",
  TemplateCheck: "CHECK_UNKNOWN",
  ConflictStrategy: "TARGET_INVALID",
  BillingCycle: "VALIDATION_FAILED",
  "CreateApiClientInput.grantTypes": "REFERENCE_NOT_FOUND",
  "CreateApiClientInput.principalType": "REFERENCE_NOT_FOUND",
  "CreateRoleInput.scopes": "REFERENCE_NOT_FOUND",
  "UpdateRoleInput.scopes": "REFERENCE_NOT_FOUND",
  FeatureFlagOperator: "FEATURE_FLAG_INVALID",
  FeatureFlagStickiness: "FEATURE_FLAG_INVALID",
  NotificationTemplateVariableType: "NOTIFICATION_TEMPLATE_INVALID",
};
