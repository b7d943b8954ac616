/** The compiled entry of the worker processes. Tests run the .ts files, but a process needs the compiled ones. */
export const templateWorkerUrl = new URL(
  import.meta.url.endsWith(".ts")
    ? "../../../dist/executions/template-worker/template-worker.js"
    : "./template-worker.js",
  import.meta.url,
);
