/** Otherwise the constructor of Apollo's gateway starts an exporter that sends metrics to Apollo. */
export function disableApolloTelemetry(): void {
  process.env["APOLLO_TELEMETRY_DISABLED"] = "true";
}
