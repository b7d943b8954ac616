/** Disables the exporter that sends metrics to Apollo. Otherwise the constructor of Apollo's gateway starts it. */
export function disableApolloTelemetry(): void {
  process.env["APOLLO_TELEMETRY_DISABLED"] = "true";
}
