/** Writes client/gen: the table of operations, the messages, and the interface of each resource. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileRegistry } from "@bufbuild/protobuf";
import { newCommentWriter } from "./comments.ts";
import { Declarations, referencedTypes } from "./messages.ts";
import { clientResources, operationsText } from "./operations.ts";
import { duplicateNames, resourcesText } from "./resources.ts";

const fileHeader = "// Written by schema/client/write.ts out of schema/proto. Do not edit.\n";

/** Writes client/gen of a project out of its protos with their comments. Throws where a request would have two members of one name. */
export function writeClient(root: string, registry: FileRegistry): void {
  const resources = clientResources(registry);
  const operations = resources.flatMap((resource) => resource.operations);
  for (const operation of operations) {
    const [name] = duplicateNames(operation);
    if (name) throw new Error(`${operation.method.name} has ${name} as a field and as a place`);
  }
  const spoken = operations.flatMap(({ method: { input, output } }) => [
    ...referencedTypes(input),
    ...referencedTypes(output),
  ]);
  const comments = newCommentWriter(registry);
  const declarations = new Declarations(comments, spoken);
  const interfaces = resourcesText(resources, declarations, comments);
  const files = {
    "operations.ts": operationsText(resources),
    "messages.ts": `import type { JsonObject } from "../operation.ts";\n\n${declarations.text()}`,
    "resources.ts": `import type { Listing } from "../listing.ts";
import type { CallOptions, Changes, JsonObject, UpdateOptions } from "../operation.ts";
import type {
${namesIn(declarations.text(), interfaces)}} from "./messages.ts";

${interfaces}`,
  };
  const folder = join(root, "client/gen");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `${fileHeader}\n${text}`);
  }
}

/** The declared names that a text speaks of, one a line. */
function namesIn(declared: string, text: string): string {
  const names = [...declared.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  const code = text.replace(/\/\*\*[\s\S]*?\*\//g, "");
  return names
    .filter((name) => new RegExp(`\\b${name}\\b`).test(code))
    .map((name) => `  ${name},\n`)
    .join("");
}
