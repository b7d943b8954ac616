import { jsoncFault } from "@factory/template-engine/jsonc";
import { SaxesParser } from "saxes";
import { yamlFault } from "./yaml-fault.js";

const xmlFile = /\.(?:\w*proj|xml|props|targets|resx|config|nuspec|slnx|svg|xaml|axaml|xsd|xslt|ruleset|pubxml)$/i;
const jsonFile = /\.(?:json|jsonc|webmanifest)$/i;
const yamlFile = /\.ya?ml$/i;

interface Fault {
  message: string;
  line: number;
  column: number;
}

export function isYaml(path: string): boolean {
  return yamlFile.test(path);
}

function xmlFault(text: string): Fault | undefined {
  let fault: Fault | undefined;
  const parser = new SaxesParser({ position: true });
  parser.on("error", (error) => {
    fault ??= { message: error.message.replace(/^(?:\d+:\d+: )/, ""), line: parser.line, column: parser.column };
  });
  parser.write(text).close();
  return fault;
}

/** The first syntax fault in an XML, JSON or YAML file, which is known by its name. */
export function formFault(path: string, text: string): Fault | undefined {
  // a file whose whole content depends on a condition may be empty
  if (text.trim() === "") return undefined;
  if (xmlFile.test(path)) return xmlFault(text);
  if (jsonFile.test(path)) return jsoncFault(text);
  return isYaml(path) ? yamlFault(text) : undefined;
}
