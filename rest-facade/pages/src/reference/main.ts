/** The global object of the viewer's script. */
declare const Scalar: { createApiReference(place: HTMLElement, configuration: object): void };

const place = document.getElementById("reference");
if (!place) throw new Error("The page has no element with the id reference");

Scalar.createApiReference(place, {
  url: place.dataset["document"],
  // the page may be opened at another name of the same platform, and calls no other origin
  servers: [{ url: location.origin }],
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});

export {};
